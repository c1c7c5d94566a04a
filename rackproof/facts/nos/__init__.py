"""What switches say: one module a NOS, found by its name, with the commands of each subject and what they mean."""
