"""The pages: forms that work without scripts, templates, scripts and the words of every language."""
