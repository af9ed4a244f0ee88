"""From laid-out workgroup level to subgroup level: what each subgroup does with its own pieces."""
