"""Binary data written as text: how its lines are told, where runs of them lie, and what they hold."""
