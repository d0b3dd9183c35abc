"""What a grammar's own tags query leaves out, as queries; whole queries for grammars that come without one.

Only the worker reads these. Captures are as in tags queries: `@definition.KIND` the node, `@name` its name.
"""

from __future__ import annotations

#: Grammars whose own tags query is used, with what is added to it.
OWN_AND_MORE: dict[str, str] = {
    "python": "",
    "javascript": """
        (method_definition
            name: [(property_identifier) (private_property_identifier) (string) (computed_property_name)] @name) @definition.method
        (field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
        (pair key: (string) @name value: [(arrow_function) (function_expression)]) @definition.function
        (assignment_expression left: (_) @name right: (class)) @definition.class
        (variable_declarator name: (identifier) @name value: [(class) (generator_function)]) @definition.class
    """,
    "c": """
        (union_specifier name: (type_identifier) @name body: (_)) @definition.union
        (preproc_function_def name: (identifier) @name) @definition.macro
        (function_declarator declarator: (parenthesized_declarator (identifier) @name)) @definition.function
    """,
    "java": """
        (constructor_declaration name: (identifier) @name) @definition.method
        (compact_constructor_declaration name: (identifier) @name) @definition.method
        (enum_declaration name: (identifier) @name) @definition.enum
        (record_declaration name: (identifier) @name) @definition.class
        (annotation_type_declaration name: (identifier) @name) @definition.interface
    """,
    "go": "",
    "rust": """
        (impl_item type: (_) @name) @definition.impl
        (function_signature_item name: (identifier) @name) @definition.method
    """,
    "ruby": """
        (singleton_class value: (_) @name) @definition.class
    """,
    "php": """
        (enum_declaration name: (name) @name) @definition.enum
    """,
    "lua": "",
    "elixir": """
        (call target: (identifier) @ignore (arguments (alias) @name) (#eq? @ignore "defimpl")) @definition.module
    """,
    "ocaml": "",
}

#: Grammars that come without a tags query, or with one that names the wrong nodes.
WHOLE: dict[str, str] = {
    "cpp": """
        (struct_specifier name: (_) @name body: (_)) @definition.struct
        (class_specifier name: (_) @name body: (_)) @definition.class
        (union_specifier name: (_) @name body: (_)) @definition.union
        (enum_specifier name: (_) @name body: (_)) @definition.enum
        (namespace_definition name: (_) @name) @definition.namespace
        (type_definition declarator: (type_identifier) @name) @definition.type
        (alias_declaration name: (type_identifier) @name) @definition.type
        (concept_definition name: (identifier) @name) @definition.type
        (preproc_function_def name: (identifier) @name) @definition.macro
        (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name)
            (operator_name) (template_function)] @name) @definition.function
        (function_declarator declarator: (parenthesized_declarator (identifier) @name)) @definition.function
        (operator_cast) @name @definition.function
    """,
    "typescript": """
        (method_definition name: (_) @name) @definition.method
        (class_declaration name: (_) @name) @definition.class
        (class name: (_) @name) @definition.class
        (abstract_class_declaration name: (_) @name) @definition.class
        (interface_declaration name: (_) @name) @definition.interface
        (enum_declaration name: (_) @name) @definition.enum
        (type_alias_declaration name: (_) @name) @definition.type
        (module name: (_) @name) @definition.module
        (internal_module name: (_) @name) @definition.namespace
        (function_expression name: (identifier) @name) @definition.function
        (function_declaration name: (identifier) @name) @definition.function
        (generator_function name: (identifier) @name) @definition.function
        (generator_function_declaration name: (identifier) @name) @definition.function
        (function_signature name: (identifier) @name) @definition.function
        (abstract_method_signature name: (_) @name) @definition.method
        (method_signature name: (_) @name) @definition.method
        (variable_declarator name: (identifier) @name
            value: [(arrow_function) (function_expression) (class)]) @definition.function
        (public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
        (assignment_expression left: [(identifier) (member_expression)] @name
            right: [(arrow_function) (function_expression) (class)]) @definition.function
        (pair key: (_) @name value: [(arrow_function) (function_expression)]) @definition.function
    """,
    "csharp": """
        (namespace_declaration name: (_) @name) @definition.namespace
        (class_declaration name: (_) @name) @definition.class
        (struct_declaration name: (_) @name) @definition.struct
        (record_declaration name: (_) @name) @definition.class
        (interface_declaration name: (_) @name) @definition.interface
        (enum_declaration name: (_) @name) @definition.enum
        (delegate_declaration name: (_) @name) @definition.type
        (method_declaration name: (_) @name) @definition.method
        (constructor_declaration name: (_) @name) @definition.method
        (destructor_declaration name: (_) @name) @definition.method
        (operator_declaration) @name @definition.method
        (local_function_statement name: (_) @name) @definition.function
    """,
    "kotlin": """
        (class_declaration name: (_) @name) @definition.class
        (object_declaration name: (_) @name) @definition.object
        (companion_object) @name @definition.object
        (function_declaration name: (_) @name) @definition.function
        (secondary_constructor) @name @definition.method
    """,
    "swift": """
        (class_declaration name: (_) @name) @definition.class
        (protocol_declaration name: (_) @name) @definition.interface
        (function_declaration name: (_) @name) @definition.function
        (protocol_function_declaration name: (_) @name) @definition.method
        (init_declaration) @name @definition.method
        (deinit_declaration) @name @definition.method
    """,
    "scala": """
        (trait_definition name: (_) @name) @definition.interface
        (enum_definition name: (_) @name) @definition.enum
        (class_definition name: (_) @name) @definition.class
        (object_definition name: (_) @name) @definition.object
        (function_definition name: (_) @name) @definition.function
        (function_declaration name: (_) @name) @definition.function
        (given_definition name: (_) @name) @definition.function
        (type_definition name: (_) @name) @definition.type
    """,
    "perl": """
        (package_statement name: (package) @name) @definition.module
        (subroutine_declaration_statement name: (bareword) @name) @definition.function
    """,
    "julia": """
        (module_definition name: (_) @name) @definition.module
        (struct_definition (type_head (_) @name)) @definition.struct
        (abstract_definition (type_head (_) @name)) @definition.type
        (function_definition (signature (call_expression . (_) @name))) @definition.function
        (function_definition (signature (_ (call_expression . (_) @name)))) @definition.function
        (macro_definition (signature (call_expression . (_) @name))) @definition.macro
        (source_file (assignment . (call_expression . (_) @name)) @definition.function)
        (module_definition (assignment . (call_expression . (_) @name)) @definition.function)
    """,
    "zig": """
        (function_declaration name: (identifier) @name) @definition.function
        (variable_declaration . (identifier) @name [(struct_declaration) (enum_declaration) (union_declaration) (opaque_declaration)]) @definition.struct
        (test_declaration [(string) (identifier)] @name) @definition.function
    """,
    "bash": """
        (function_definition name: (word) @name) @definition.function
    """,
}
WHOLE["tsx"] = WHOLE["typescript"]

#: What a definition is called after its node, where the query says less.
KINDS: dict[str, str] = {
    "struct_specifier": "struct",
    "struct_item": "struct",
    "union_specifier": "union",
    "union_item": "union",
    "enum_specifier": "enum",
    "enum_item": "enum",
    "enum_declaration": "enum",
    "trait_item": "trait",
    "trait_declaration": "trait",
    "type_item": "type",
    "impl_item": "impl",
}

#: Definitions that are too many and too small to be sections.
LEFT_OUT = frozenset({"constant", "field", "property", "variable", "enum_variant", "operator"})

#: Nodes that only wrap a definition: the section is the outermost of them.
WRAPPERS = frozenset(
    [
        "export_statement",
        "ambient_declaration",
        "decorated_definition",
        "lexical_declaration",
        "variable_declaration",
        "template_declaration",
        "variable_declarator",
        "expression_statement",
        "assignment_expression",
        "assignment_statement",
        "declaration",
        "type_definition",
        "function_definition",
        "pointer_declarator",
        "reference_declarator",
        "init_declarator",
        "field_declaration",
        "function_declarator",
        "parenthesized_declarator",
        "attributed_declarator",
        "type_declaration",
        "type_spec",
        "inline_method_definition",
        "friend_declaration",
        "function_item",
        "local_declaration",
        "variable_list",
        "expression_list",
    ]
)
#: In C and C++ a definition is one of these; what else has a declarator with parameters is a parameter or a cast.
C_WHOLES = frozenset(
    [
        "function_definition",
        "declaration",
        "field_declaration",
        "template_declaration",
        "type_definition",
        "struct_specifier",
        "union_specifier",
        "enum_specifier",
        "class_specifier",
        "namespace_definition",
        "alias_declaration",
        "concept_definition",
        "preproc_function_def",
        "operator_cast",
        "inline_method_definition",
        "friend_declaration",
    ]
)
