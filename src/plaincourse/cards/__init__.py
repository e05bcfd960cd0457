"""Question cards, the concepts that they practise, and the Anki deck made of them."""
