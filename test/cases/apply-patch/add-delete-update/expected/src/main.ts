one
TWO
three
four
FIVE
