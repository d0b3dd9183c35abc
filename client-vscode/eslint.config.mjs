import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['out/**', 'server/**', 'node_modules/**', 'src/protocol.generated.ts', '*.mjs', 'scripts/**'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers in sentences are what this extension is made of.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
    },
  },
  {
    // node:test's functions give promises that nobody has to wait for.
    files: ['src/test/**'],
    rules: { '@typescript-eslint/no-floating-promises': 'off' },
  },
);
