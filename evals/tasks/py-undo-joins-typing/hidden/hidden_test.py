import unittest

from changes import Delete, Insert
from editor import Editor
from history import History


def undone(editor):
    """The texts that undo leads through."""
    texts = []
    while editor.undo():
        texts.append(editor.text)
    return texts


class HiddenTest(unittest.TestCase):
    def test_words(self):
        editor = Editor()
        editor.type("the cat sat")
        self.assertEqual(undone(editor), ["the cat", "the", ""])
        while editor.redo():
            pass
        self.assertEqual((editor.text, editor.cursor), ("the cat sat", 11))

    def test_two_spaces_are_two_steps(self):
        editor = Editor()
        editor.type("a  b")
        self.assertEqual(undone(editor), ["a ", "a", ""])

    def test_elsewhere_is_a_new_step(self):
        editor = Editor()
        editor.type("ab")
        editor.move(0)
        editor.type("xy")
        self.assertEqual(editor.text, "xyab")
        self.assertEqual(undone(editor), ["ab", ""])
        editor = Editor()
        editor.type("abc")
        editor.move(1)
        editor.type("z")
        self.assertEqual(undone(editor), ["abc", ""])

    def test_delete_between(self):
        editor = Editor()
        editor.type("ab")
        editor.backspace()
        editor.type("c")
        self.assertEqual(undone(editor), ["a", "ab", ""])

    def test_deletions_stay_single(self):
        editor = Editor("abc")
        editor.backspace()
        editor.backspace()
        self.assertEqual(undone(editor), ["ab", "abc"])

    def test_pasted_text_is_a_step(self):
        editor = Editor()
        editor.type("a")
        editor.insert("pasted")
        self.assertEqual(undone(editor), ["a", ""])
        editor = Editor()
        editor.insert("pasted")
        editor.type("xy")
        self.assertEqual(undone(editor), [""])

    def test_after_undo(self):
        editor = Editor()
        editor.type("one two")
        editor.undo()
        editor.move(3)
        editor.type("ly")
        self.assertEqual(editor.text, "onely")
        self.assertFalse(editor.redo())
        self.assertEqual(undone(editor), ["one", ""])

    def test_after_redo(self):
        editor = Editor()
        editor.type("cat")
        editor.undo()
        editor.redo()
        editor.type("ss")
        self.assertEqual(undone(editor), ["cat", ""])

    def test_typing_loses_what_was_undone(self):
        history = History()
        history.record(Insert(0, "ab"))
        history.record(Delete(0, "a"))
        history.undo()
        history.record(Insert(2, "c"))
        self.assertIsNone(history.redo())
        self.assertEqual(len(history), 2)

    def test_limit(self):
        editor = Editor(limit=2)
        editor.type("a b c d")
        self.assertEqual(len(editor.history), 2)
        self.assertEqual(undone(editor), ["a b c", "a b"])


if __name__ == "__main__":
    unittest.main()
