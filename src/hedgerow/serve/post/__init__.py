"""Mail that comes in: it is kept before it is acknowledged, read, carried out once, and answered."""
