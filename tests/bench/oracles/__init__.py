"""What Milepost says of whole formats, against tools that read them in another way: one module a group of formats."""
