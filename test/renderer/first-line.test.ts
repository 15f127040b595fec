import { describe, expect, it } from 'vitest'
import { firstLine } from '../../renderer/components/markdown/first-line.ts'

describe('the first line of a Markdown text', () => {
  it.each([
    ['\n> - Why, @mara?\n\nSo.', 'Why, @mara?'],
    ['## **Maintenance** on _Friday_', 'Maintenance on Friday'],
    ['- [ ] check the `**gauge**`', 'check the **gauge**'],
    [
      'See [the guide](https://example.test/a_b) and <https://example.test>',
      'See the guide and https://example.test',
    ],
    ['![A heron](/uploads/1/heron.png){width=20} stands', 'A heron stands'],
    ['<!-- for the team -->\nHello', 'Hello'],
    ['```suggestion:-0+0\nconst a_b_c = 1\n```', 'const a_b_c = 1'],
    ['***\n\n***Both*** at 2 * 3 * 4, snake_case_name', 'Both at 2 * 3 * 4, snake_case_name'],
    ['| a | b |\n|---|---|', '| a | b |'],
    ['\\*not emphasis\\*', '*not emphasis*'],
    ['1. ~~old~~ <b>new</b>', 'old new'],
    ['---\n<!-- nothing', ''],
    ['**a', '**a'],
  ])('of %j is %j', (text, line) => {
    expect(firstLine(text)).toBe(line)
  })

  it('ends for long lines of signs', () => {
    const signs = '*_[~`<'.repeat(20_000)
    expect(firstLine(signs).length).toBeGreaterThan(0)
  })
})
