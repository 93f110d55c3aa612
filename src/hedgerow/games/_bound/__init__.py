"""What Root Bound and Rootbound share: claimed regions, groups that see each other, turns of one or two pieces."""
