/** Make, CMake, Maven and Gradle. */
import type { Project } from '../project.ts';

const SLUG_SH = "printf '%s' \"$1\" | tr 'A-Z ' 'a-z-'\n";
const SLUG_TEST = `echo TAP version 13
is() { # number, name, got, wanted
  if [ "$3" = "$4" ]; then echo "ok $1 - $2"; else echo "not ok $1 - $2"; failed=1; fi
}
is 1 'joins words' "$(sh slug.sh 'A b')" a-b
is 2 'keeps a word' "$(sh slug.sh x)" x
echo 1..2
exit \${failed:-0}
`;
const SLUG_BROKEN = { file: 'slug.sh', right: "'a-z-'", base: "'a-z_'", wrong: "'a-z.'" };

const QUICKSTART =
  'mvn --quiet --batch-mode archetype:generate -DarchetypeGroupId=org.apache.maven.archetypes -DarchetypeArtifactId=maven-archetype-quickstart -DarchetypeVersion=1.5 -DgroupId=org.example -DartifactId=app -DinteractiveMode=false && mv app/* . && rm -r app';

const JAVA = {
  'src/main/java/org/example/App.java':
    'package org.example;\n\npublic class App {\n    public static int total(int... prices) {\n        int sum = 0;\n        for (int price : prices) sum += price;\n        return sum;\n    }\n}\n',
};
const JAVA_BROKEN = {
  file: 'src/main/java/org/example/App.java',
  right: 'sum += price;',
  base: 'sum -= price;',
  wrong: 'sum = price;',
};
const javaTest = (imports: string): string =>
  `package org.example;\n\n${imports}\n\npublic class AppTest {\n    @Test\n    public void addsPrices() {\n        assertEquals(5, App.total(2, 3));\n    }\n\n    @Test\n    public void isZeroForAnEmptyCart() {\n        assertEquals(0, App.total());\n    }\n}\n`;

export const otherProjects: readonly Project[] = [
  {
    name: 'make-shell',
    kind: 'Make',
    needs: ['make'],
    fetch: ':',
    files: {
      Makefile: 'test:\n\t@sh tests/slug.sh\n.PHONY: test\n',
      'slug.sh': SLUG_SH,
      'tests/slug.sh': SLUG_TEST,
    },
    check: 'make test',
    broken: SLUG_BROKEN,
  },
  {
    name: 'make-prove',
    kind: 'prove',
    needs: ['make', 'prove'],
    fetch: ':',
    files: {
      Makefile: 'test:\n\tprove --exec sh tests/*.t\n.PHONY: test\n',
      'slug.sh': SLUG_SH,
      'tests/slug.t': SLUG_TEST,
    },
    check: 'make test',
    broken: SLUG_BROKEN,
  },
  {
    name: 'cmake-ctest',
    kind: 'CTest',
    needs: ['cmake', 'ctest', 'c++'],
    fetch: ':',
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.16)\nproject(cart CXX)\nenable_testing()\nadd_library(cart cart.cpp)\nforeach(name adds empty)\n  add_executable(test_${name} test_${name}.cpp)\n  target_link_libraries(test_${name} cart)\n  add_test(NAME ${name} COMMAND test_${name})\nendforeach()\n',
      'cart.cpp': 'int total(int a, int b) { return a + b; }\n',
      'test_adds.cpp': 'int total(int, int);\nint main() { return total(2, 3) == 5 ? 0 : 1; }\n',
      'test_empty.cpp': 'int total(int, int);\nint main() { return total(0, 0) == 0 ? 0 : 1; }\n',
    },
    prepare: 'cmake -S . -B build >/dev/null',
    check: 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
    broken: { file: 'cart.cpp', right: 'a + b', base: 'a - b', wrong: 'a * b' },
  },
  {
    name: 'maven-junit5',
    kind: 'Maven',
    needs: ['mvn'],
    fetch: QUICKSTART,
    files: {
      ...JAVA,
      'src/test/java/org/example/AppTest.java': javaTest(
        'import static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Test;',
      ),
    },
    prepare: 'mvn --quiet --batch-mode test',
    check: 'mvn --offline --batch-mode test',
    broken: JAVA_BROKEN,
  },
  {
    name: 'gradle-junit4',
    kind: 'Gradle',
    needs: ['gradle'],
    fetch: ':',
    files: {
      ...JAVA,
      'build.gradle':
        "apply plugin: 'java'\nrepositories { mavenCentral() }\ndependencies { testCompile 'junit:junit:4.13.2' }\ntest { testLogging { events 'passed', 'failed' } }\n",
      'settings.gradle': "rootProject.name = 'cart'\n",
      'src/test/java/org/example/AppTest.java': javaTest(
        'import static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;',
      ),
    },
    prepare: 'gradle --no-daemon --quiet test',
    check: 'gradle --no-daemon --offline test',
    broken: JAVA_BROKEN,
  },
];
