import { describe, expect, it } from 'vitest'

import { isTrue } from '../../../server/domains/ci_config/language/expressions.ts'
import { isExpression } from '../../../server/domains/ci_config/language/expressions.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const values: Record<string, string> = {
  WORD: 'value',
  OTHER: 'value',
  EMPTY: '',
  BLANK: '  ',
  BRANCH: 'feature/one',
  PATTERN: '/^feature/',
  ZERO: '0',
}
const lookup = (name: string) => values[name]

describe('an expression', () => {
  it.each([
    ['$WORD', true],
    ['$EMPTY', false],
    ['$BLANK', false],
    ['$GONE', false],
    ['$ZERO', true],
    ['"text"', true],
    ['""', false],
    ['null', false],
    ['$GONE == null', true],
    ['$EMPTY == null', false],
    ['$EMPTY == ""', true],
    ['$GONE == ""', false],
    ['$WORD == "value"', true],
    ["$WORD == 'value'", true],
    ['"value" == $WORD', true],
    ['$WORD == $OTHER', true],
    ['$WORD != $OTHER', false],
    ['$WORD != "Value"', true],
    ['$GONE == $ALSO_GONE', true],
    ['$WORD =~ /val/', true],
    ['$WORD =~ /^al/', false],
    ['$WORD =~ /VAL/', false],
    ['$WORD =~ /VAL/i', true],
    ['$WORD !~ /x/', true],
    [String.raw`$BRANCH =~ /^feature\/one$/`, true],
    ['$BRANCH =~ $PATTERN', true],
    ['$BRANCH !~ $PATTERN', false],
    ['$BRANCH =~ $GONE', false],
    ['$BRANCH !~ $GONE', true],
    ['$BRANCH =~ $WORD', false],
    ['$GONE =~ /^$/', true],
    ['$GONE =~ /./', false],
    ['$WORD && $GONE', false],
    ['$WORD && $OTHER', true],
    ['$GONE || $WORD', true],
    ['$GONE || $EMPTY', false],
    // `&&` binds tighter than `||`, comparisons tighter than both.
    ['$WORD || $GONE && $GONE', true],
    ['($WORD || $GONE) && $GONE', false],
    ['$WORD == "value" && $BRANCH =~ /one/', true],
    ['$GONE == "value" || $BRANCH =~ /one/ && $ZERO == "0"', true],
    ['(($WORD))', true],
    ['   $WORD\n  ==\t"value" ', true],
    ['$WORD=="value"', true],
  ])('%s is %s', (text, truth) => {
    expect(isExpression(text)).toBe(true)
    expect(isTrue(text, lookup)).toBe(truth)
  })

  it.each([
    '',
    '$A ==',
    '== $A',
    '$A $B',
    '$A "b"',
    '($A',
    '$A)',
    '()',
    '$A = "b"',
    '$A === "b"',
    '${A}',
    'A == "b"',
    '$A == "b',
    '$A =~ /b',
    '$A =~ /(b/',
    '$A =~ /(?=b)/',
    '$A =~ null',
    '$A && || $B',
    '5 == 5',
    `${'('.repeat(60)}$A${')'.repeat(60)}`,
    Array.from({ length: 51 }, () => '$A').join(' && '),
  ])('cannot be %s', (text) => {
    expect(isExpression(text)).toBe(false)
    expect(isTrue(text, lookup)).toBe(false)
  })

  it('may have a hundred operands', () => {
    expect(isTrue(Array.from({ length: 50 }, () => '$WORD').join(' && '), lookup)).toBe(true)
  })

  it('takes linear time for any pattern', () => {
    const start = cpuTime()
    expect(isTrue('$A =~ /^(a+)+$/', () => `${'a'.repeat(5000)}!`)).toBe(false)
    expect(cpuTime() - start).toBeLessThan(2000)
  })
})
