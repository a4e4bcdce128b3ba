// Small projects that fail in the ways that real ones do, runner by runner. `make-outputs.mjs` runs them and records
// what the runners print.

const sources = {
  'src/total.js': `export function total(items) {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
}

export function first(items) {
  return items[0].name.trim();
}
`,
};

/** One suite in the dialect that Jest, Vitest, Mocha and node:test share; `head` imports what the runner needs. */
const jsTests = (head, expects, timeout) => `${head}
import { first, total } from '../src/total.js';

describe('total', () => {
  it('adds up prices', () => {
    ${expects('total([{ price: 1 }, { price: 2 }])', '3')}
  });
  it('counts each item as often as it was taken', () => {
    ${expects('total([{ price: 2, quantity: 3 }])', '6')}
  });
  it('gives a summary', () => {
    ${expects("{ sum: total([{ price: 2 }]), currency: 'EUR', lines: [1, 2] }", "{ sum: 2, currency: 'USD', lines: [1, 3] }")}
  });
  it.skip('rounds', () => {});
});
describe('first', () => {
  it('is empty for no items', () => {
    ${expects('first([])', "''")}
  });
${timeout}});
`;

const manyJs = (head, expects) => `${head}
import { total } from '../src/total.js';
for (let n = 1; n <= 40; n += 1) it(\`case \${n}\`, () => {
  ${expects('total([{ price: n }])', 'n % 4 === 0 ? n : n + 1')}
});
`;
const missingJs = (head) =>
  `${head}\nimport { gone } from '../src/missing.js';\nit('uses it', () => gone());\n`;
const brokenJs = (head) =>
  `${head}\nimport { half } from '../src/broken.js';\nit('uses it', () => half());\n`;
const broken = { 'src/broken.js': 'export function half(value) {\n  return value / ;\n}\n' };

const expectEqual = (actual, wanted) => `expect(${actual}).toEqual(${wanted});`;
const assertEqual = (actual, wanted) => `assert.deepStrictEqual(${actual}, ${wanted});`;
const never = (limit) =>
  `  it('answers in time', async () => {\n    await new Promise(() => {});\n  }${limit});\n`;
/** The failing, many, import and syntax cases of one JavaScript runner. */
const js = ({ head, expects, limit, command, file = 'test/total.test.js', more = {}, env }) => {
  const base = { 'package.json': '{ "type": "module" }\n', ...sources, ...more };
  return Object.fromEntries(
    [
      ['failing', { [file]: jsTests(head, expects, limit === null ? '' : never(limit)) }],
      ['many', { [file]: manyJs(head, expects) }],
      ['import', { [file]: missingJs(head) }],
      ['syntax', { [file]: brokenJs(head), ...broken }],
    ].map(([name, files]) => [name, { files: { ...base, ...files }, command, env }]),
  );
};

const nodeHead = "import assert from 'node:assert';\nimport { describe, it } from 'node:test';";
const nodeCase = { head: nodeHead, expects: assertEqual, limit: null };
const mochaHead = "import assert from 'node:assert';";

const pySource = `def total(items):
    return sum(item["price"] for item in items)


def first(items):
    return items[0]["name"].strip()
`;
const pytestFiles = {
  'shop/__init__.py': '',
  'shop/total.py': pySource,
  'tests/test_total.py': `import pytest
from shop.total import first, total


@pytest.fixture
def connection():
    raise ConnectionError("no server")


def test_adds_up_prices():
    assert total([{"price": 1}, {"price": 2}]) == 3


class TestQuantity:
    def test_counts_each_item(self):
        assert total([{"price": 2, "quantity": 3}]) == 6


@pytest.mark.parametrize("name,wanted", [("a", "a"), (" b", "B")])
def test_first(name, wanted):
    assert first([{"name": name}]) == wanted


def test_summary():
    assert {"sum": 2, "lines": [1, 2]} == {"sum": 2, "lines": [1, 3]}


def test_no_items():
    print("looking at nothing")
    assert first([]) == ""


def test_raises():
    with pytest.raises(ValueError):
        total([])


def test_with_server(connection):
    assert connection


@pytest.mark.skip(reason="later")
def test_later():
    assert False
`,
};
const unittestFiles = {
  'shop/__init__.py': '',
  'shop/total.py': pySource,
  'tests/__init__.py': '',
  'tests/test_total.py': `import unittest
from shop.total import first, total


class TotalTest(unittest.TestCase):
    def test_adds_up_prices(self):
        self.assertEqual(total([{"price": 1}, {"price": 2}]), 3)

    def test_counts_each_item(self):
        """Each item counts as often as it was taken."""
        self.assertEqual(total([{"price": 2, "quantity": 3}]), 6)

    def test_summary(self):
        self.assertEqual({"sum": 2, "lines": [1, 2]}, {"sum": 2, "lines": [1, 3]})

    def test_no_items(self):
        self.assertEqual(first([]), "")

    def test_each(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(n % 2, 0, "is odd")

    @unittest.skip("later")
    def test_later(self):
        self.fail()
`,
};

const go = (test, more = {}) => ({
  files: {
    'go.mod': 'module example.com/shop\n\ngo 1.21\n',
    'total/total.go': `package total

type Item struct {
	Name     string
	Price    int
	Quantity int
}

func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Price
	}
	return sum
}

func First(items []Item) string {
	return items[0].Name
}
`,
    'total/total_test.go': test,
    ...more,
  },
});
const goTests = `package total

import (
	"testing"
)

func TestTotal(t *testing.T) {
	if got := Total([]Item{{Price: 1}, {Price: 2}}); got != 3 {
		t.Errorf("Total() = %d, want %d", got, 3)
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		name     string
		quantity int
		want     int
	}{{"one", 1, 2}, {"three of it", 3, 6}} {
		t.Run(c.name, func(t *testing.T) {
			if got := Total([]Item{{Price: 2, Quantity: c.quantity}}); got != c.want {
				t.Errorf("Total() = %d, want %d", got, c.want)
			}
		})
	}
}

func TestLater(t *testing.T) { t.Skip("later") }
`;
const goPanic = `package total

import "testing"

func TestTotal(t *testing.T) { _ = Total(nil) }

func TestFirst(t *testing.T) {
	if First(nil) != "" {
		t.Fatal("not empty")
	}
}
`;
const goSlow = `package total

import (
	"testing"
	"time"
)

func TestSlow(t *testing.T) { time.Sleep(time.Minute) }
`;

const cargo = (lib) => ({
  files: {
    'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs': lib,
  },
  command: 'cargo test --color never',
});
const rust = `pub struct Item {
    pub name: String,
    pub price: u32,
    pub quantity: u32,
}

pub fn total(items: &[Item]) -> u32 {
    items.iter().map(|item| item.price).sum()
}

pub fn first(items: &[Item]) -> &str {
    &items[0].name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(price: u32, quantity: u32) -> Item {
        Item { name: "x".into(), price, quantity }
    }

    #[test]
    fn adds_up_prices() {
        assert_eq!(total(&[item(1, 1), item(2, 1)]), 3);
    }

    #[test]
    fn counts_each_item() {
        assert_eq!(total(&[item(2, 3)]), 6, "each item counts");
    }

    #[test]
    fn first_of_none() {
        assert_eq!(first(&[]), "");
    }

    #[test]
    fn is_positive() {
        assert!(total(&[]) > 0);
    }

    #[test]
    #[ignore]
    fn later() {}
}
`;

const tsFiles = {
  'tsconfig.json':
    '{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022", "types": [] }, "include": ["src"] }\n',
  'src/total.ts': `export interface Item {
  price: number;
  quantity?: number;
}

export function total(items: Item[]): number {
  let sum: string = 0;
  for (const item of items) sum += item.price * item.quantity;
  return sum;
}
`,
  'src/use.ts':
    "import { totals } from './total';\nimport { gone } from './missing';\nexport const a = totals([{ price: '1' }]) + gone;\n",
};
const eslintFiles = {
  'package.json': '{ "type": "module" }\n',
  'eslint.config.mjs': `export default [{ rules: { 'no-unused-vars': 'error', eqeqeq: 'warn', 'no-undef': 'error' } }];\n`,
  'src/total.js':
    'export function total(items) {\n  const unused = 1;\n  if (items == undefined) return nothing;\n  return items.length;\n}\n',
  'src/broken.js': 'export const half = (value) => value / ;\n',
};

/** Runner, then case: the files, and the command that is run in them. */
const java = (asserts, annotation, actual) => ({
  'src/test/java/org/example/AppTest.java': `package org.example;

import static ${asserts}.assertEquals;

import ${annotation};

public class AppTest {
    @Test
    public void addsPrices() {
        assertEquals(5, ${actual});
    }

    @Test
    public void isZeroForAnEmptyCart() {
        assertEquals(0, 0);
    }
}
`,
});

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>slug</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.11.0</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.3.0</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
    </plugins>
  </build>
</project>
`;
const maven = (actual) => ({
  files: {
    'pom.xml': POM,
    ...java('org.junit.jupiter.api.Assertions', 'org.junit.jupiter.api.Test', actual),
  },
  command: 'mvn --batch-mode --no-transfer-progress test',
});

const rubySource = `def total(items)
  items.sum { |item| item[:price] }
end

def first(items)
  items[0][:name].strip
end
`;
const rubySpec = `require_relative '../lib/total'

RSpec.describe 'total' do
  it 'adds up prices' do
    expect(total([{ price: 1 }, { price: 2 }])).to eq(3)
  end

  it 'counts each item as often as it was taken' do
    expect(total([{ price: 2, quantity: 3 }])).to eq(6)
  end

  it 'gives a summary' do
    expect({ sum: 2, lines: [1, 2] }).to eq({ sum: 2, lines: [1, 3] })
  end

  xit 'rounds' do
  end

  context 'first' do
    it 'is empty for no items' do
      expect(first([])).to eq('')
    end
  end
end
`;
const phpSource = `<?php
function total(array $items): int
{
    return array_sum(array_column($items, 'price'));
}

function first(array $items): string
{
    return trim($items[0]->name);
}
`;
const phpTest = `<?php
use PHPUnit\\Framework\\TestCase;
require_once __DIR__ . '/../src/total.php';

final class TotalTest extends TestCase
{
    public function testAddsUpPrices(): void
    {
        $this->assertSame(3, total([['price' => 1], ['price' => 2]]));
    }

    public function testCountsEachItem(): void
    {
        $this->assertSame(6, total([['price' => 2, 'quantity' => 3]]), 'each item counts');
    }

    public function testSummary(): void
    {
        $this->assertEquals(['sum' => 2, 'lines' => [1, 3]], ['sum' => 2, 'lines' => [1, 2]]);
    }

    public function testNoItems(): void
    {
        $this->assertSame('', first([]));
    }

    public function testRounds(): void
    {
        $this->markTestSkipped('later');
    }

    /** @dataProvider words */
    public function testWord(string $word): void
    {
        $this->assertSame('a', $word);
    }

    public function words(): array
    {
        return ['same' => ['a'], 'other' => ['b']];
    }
}
`;

export const suites = {
  'node-spec': js({ ...nodeCase, command: 'node --test --test-reporter=spec test/' }),
  'node-tap': js({ ...nodeCase, command: 'node --test --test-reporter=tap test/' }),
  jest: js({
    head: '',
    expects: expectEqual,
    limit: ', 100',
    command: 'jest --no-color',
    env: { NODE_OPTIONS: '--experimental-vm-modules' },
    more: { 'jest.config.js': 'export default { transform: {} };\n' },
  }),
  vitest: js({
    head: "import { describe, expect, it } from 'vitest';",
    expects: expectEqual,
    limit: ', 100',
    command: 'vitest run --no-color',
  }),
  mocha: js({ head: mochaHead, expects: assertEqual, limit: ').timeout(100', command: 'mocha --exit test' }),
  pytest: {
    failing: { files: pytestFiles, command: 'python -m pytest' },
    quiet: { files: pytestFiles, command: 'python -m pytest -q' },
    short: { files: pytestFiles, command: 'python -m pytest -q --tb=short' },
    native: { files: pytestFiles, command: 'python -m pytest -q --tb=native' },
    line: { files: pytestFiles, command: 'python -m pytest -q --tb=line' },
    import: {
      files: { 'test_a.py': 'from gone import x\n\ndef test_a():\n    assert x\n' },
      command: 'python -m pytest',
    },
    syntax: {
      files: {
        'a.py': 'def half(value)\n    return value / 2\n',
        'test_a.py': 'from a import half\n\ndef test_a():\n    assert half(2) == 1\n',
      },
      command: 'python -m pytest',
    },
    many: {
      files: {
        'test_many.py':
          'import pytest\n\n@pytest.mark.parametrize("n", range(40))\ndef test_case(n):\n    assert n % 4 == 0\n',
      },
      command: 'python -m pytest',
    },
    timeout: {
      files: { 'test_slow.py': 'import time\n\ndef test_slow():\n    time.sleep(60)\n' },
      command: 'python -m pytest --timeout 1',
    },
  },
  unittest: {
    failing: { files: unittestFiles, command: 'python -m unittest' },
    verbose: { files: unittestFiles, command: 'python -m unittest -v' },
    import: { files: { 'test_a.py': 'from gone import x\n' }, command: 'python -m unittest' },
    syntax: {
      files: { 'a.py': 'def half(value)\n    return value / 2\n', 'test_a.py': 'from a import half\n' },
      command: 'python -m unittest',
    },
  },
  go: {
    failing: { ...go(goTests), command: 'go test ./...' },
    verbose: { ...go(goTests), command: 'go test -v ./...' },
    panic: { ...go(goPanic), command: 'go test ./...' },
    timeout: { ...go(goSlow), command: 'go test -timeout 1s ./...' },
    build: { ...go(goTests.replace('Quantity: c.quantity', 'Amount: c.quantity')), command: 'go test ./...' },
    syntax: {
      ...go(goTests, {
        'total/half.go': 'package total\n\nfunc Half(value int) int {\n\treturn value / \n}\n',
      }),
      command: 'go test ./...',
    },
    vet: {
      ...go(goTests, {
        'total/print.go': 'package total\n\nimport "fmt"\n\nfunc Print() { fmt.Printf("%d", "text") }\n',
      }),
      command: 'go test ./...',
    },
  },
  cargo: {
    failing: cargo(rust),
    build: cargo(rust.replace('item.price).sum()', 'item.cost).sum()')),
    syntax: cargo(rust.replace('items[0].name', 'items[0].name;;}')),
  },
  tsc: {
    failing: { files: tsFiles, command: 'tsc -p .' },
    pretty: { files: tsFiles, command: 'tsc -p . --pretty' },
  },
  eslint: {
    failing: { files: eslintFiles, command: 'eslint .' },
    unix: { files: eslintFiles, command: 'eslint . --format json' },
  },
  ava: {
    failing: {
      files: {
        'package.json': '{ "type": "module" }\n',
        'test/a.js':
          "import test from 'ava';\ntest('adds', t => t.is(1 + 1, 2));\ntest('subtracts', t => t.is(3 - 1, 1));\n",
        'test/b.js':
          "import test from 'ava';\ntest('b one', t => t.is(1 + 1, 2));\ntest('b throws', t => { throw new Error('no'); });\n",
      },
      command: 'npx ava',
    },
  },
  ctest: {
    failing: {
      files: {
        'CMakeLists.txt':
          'cmake_minimum_required(VERSION 3.16)\nproject(slug NONE)\nenable_testing()\nadd_test(NAME joins COMMAND true)\nadd_test(NAME keeps COMMAND sh -c "echo wanted 2; exit 1")\n',
      },
      command: 'cmake -S . -B build > cmake.log && ctest --test-dir build --output-on-failure',
    },
  },
  prove: {
    failing: {
      files: {
        'p/a.t': 'echo 1..3\necho "ok 1 - a"\necho "not ok 2 - b"\necho "not ok 3 - c"\n',
        'p/b.t': 'echo 1..1\necho ok 1\nexit 3\n',
      },
      command: 'prove --exec sh p/*.t',
    },
  },
  gradle: {
    failing: {
      files: {
        ...java('org.junit.Assert', 'org.junit.Test', '2 - 3'),
        'build.gradle':
          "apply plugin: 'java'\nrepositories { mavenCentral() }\ndependencies { testCompile 'junit:junit:4.13.2' }\ntest { testLogging { events 'passed', 'failed' } }\n",
        'settings.gradle': "rootProject.name = 'cart'\n",
      },
      command: 'gradle --no-daemon test',
    },
  },
  maven: {
    failing: maven('2 - 3'),
    build: maven('2 - x'),
  },
  rspec: {
    failing: { files: { 'lib/total.rb': rubySource, 'spec/total_spec.rb': rubySpec }, command: 'rspec' },
    import: {
      files: { 'spec/total_spec.rb': "require_relative '../lib/gone'\nRSpec.describe('x') { it('y') {} }\n" },
      command: 'rspec',
    },
  },
  phpunit: {
    failing: {
      files: { 'src/total.php': phpSource, 'tests/TotalTest.php': phpTest },
      command: 'phpunit tests',
    },
    syntax: { files: { 'tests/BadTest.php': '<?php echo 1 +;\n' }, command: 'phpunit tests' },
  },
  junit: {
    jest: {
      files: js({ head: '', expects: expectEqual, limit: ', 100' }).failing.files,
      command: 'jest --no-color --silent --reporters=jest-junit >/dev/null 2>&1; cat junit.xml; exit 1',
      env: { NODE_OPTIONS: '--experimental-vm-modules' },
    },
    pytest: {
      files: pytestFiles,
      command: 'python -m pytest -q --junitxml=out.xml >/dev/null; cat out.xml; exit 1',
    },
    node: { files: js({ ...nodeCase }).failing.files, command: 'node --test --test-reporter=junit test/' },
  },
};
