import unittest

from editor import Editor


class EditorTest(unittest.TestCase):
    def test_undo_and_redo(self):
        editor = Editor("one")
        editor.insert(" two")
        editor.undo()
        self.assertEqual(editor.text, "one")
        editor.redo()
        self.assertEqual(editor.text, "one two")

    def test_backspace(self):
        editor = Editor("one")
        editor.backspace()
        self.assertEqual(editor.text, "on")
        editor.undo()
        self.assertEqual((editor.text, editor.cursor), ("one", 3))

    def test_nothing_to_undo(self):
        self.assertFalse(Editor("x").undo())
        self.assertFalse(Editor("x").redo())

    def test_limit(self):
        editor = Editor(limit=2)
        for text in ("aa", "bb", "cc"):
            editor.insert(text)
        self.assertEqual(len(editor.history), 2)

    def test_typing_is_one_step(self):
        editor = Editor()
        editor.type("cat")
        editor.undo()
        self.assertEqual(editor.text, "")
        editor.redo()
        self.assertEqual(editor.text, "cat")

    def test_words_are_steps(self):
        editor = Editor()
        editor.type("the cat")
        editor.undo()
        self.assertEqual(editor.text, "the")


if __name__ == "__main__":
    unittest.main()
