import { describe, expect, it } from 'vitest'

import { parseQuickActions, runEach } from '../../../server/domains/discussions/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const commandsOf = (text: string) => parseQuickActions(text).commands.map(({ name, args }) => [name, args])

describe('quick actions', () => {
  it('are removed from a text, in their order', () => {
    expect(parseQuickActions('Hello\n/assign @a @b\n/CLOSE  \r\nworld')).toEqual({
      text: 'Hello\nworld',
      commands: [
        { name: 'assign', args: '@a @b' },
        { name: 'close', args: '' },
      ],
    })
    expect(parseQuickActions('/label ~"to do" ~bug')).toEqual({
      text: '',
      commands: [{ name: 'label', args: '~"to do" ~bug' }],
    })
  })

  it('have aliases', () => {
    expect(
      commandsOf('/spent 1h\n/reviewer @a\n/wip\n/remove_label ~a\n/labels ~b\n/estimate_time 1d'),
    ).toEqual([
      ['spend', '1h'],
      ['assign_reviewer', '@a'],
      ['draft', ''],
      ['unlabel', '~a'],
      ['label', '~b'],
      ['estimate', '1d'],
    ])
  })

  it('need their own line; other lines are text', () => {
    const text =
      'see /close\n /close\n/closed\n//close\n/etc/passwd\n/close/now\n/close-it\n> /close\n`/close`'
    expect(parseQuickActions(text)).toEqual({ text, commands: [] })
    expect(parseQuickActions('  spaces stay  ').text).toBe('  spaces stay  ')
  })

  it.each([
    ['a code block', '```\n/close\n```'],
    ['a code block of tildes', '~~~ruby\n/close\n```\n~~~'],
    ['a longer fence', '````\n```\n/close\n````'],
    ['a code block that nobody closes', 'a\n```\n/close'],
    ['a quote', '>>>\n/close\n>>>'],
    ['an HTML block', '<pre class="x">\n/close\n</pre>'],
  ])('stay text in %s', (_, block) => {
    expect(parseQuickActions(block)).toEqual({ text: block, commands: [] })
    expect(parseQuickActions(`/reopen\n${block}`).commands.map((command) => command.name)).toEqual(['reopen'])
  })

  it('are recognized after the end of a block, and in an invalid block', () => {
    expect(commandsOf('```\na\n```\n/close')).toEqual([['close', '']])
    expect(commandsOf('>>>\n/close')).toEqual([['close', '']])
    expect(commandsOf('<b>\n/close\n</i>')).toEqual([['close', '']])
  })

  it('may only add to the text', () => {
    expect(parseQuickActions('/shrug Whatever\n/tableflip')).toEqual({
      text: 'Whatever ¯\\＿(ツ)＿/¯\n(╯°□°)╯︵ ┻━┻',
      commands: [],
    })
  })

  it('are found quickly in hostile texts', () => {
    const tags = Array.from({ length: 60_000 }, (_, index) => `<a${index}>`).join('\n')
    const before = cpuTime()
    for (const text of [
      tags,
      '/a\n'.repeat(200_000),
      `/close ${' '.repeat(500_000)}x`,
      '>>>\n'.repeat(100_000),
      `<${'a-'.repeat(100_000)}`,
      `/close${' '.repeat(200_000)}\u2028x`,
      `/close${' '.repeat(200_000)}\rx`,
    ])
      parseQuickActions(`/close\n${text}`)
    expect(cpuTime() - before).toBeLessThan(3000)
  })
})

it('quick actions are read up to the hundredth; what follows is text', () => {
  const { text, commands } = parseQuickActions('/close\n'.repeat(101))
  expect([commands.length, text]).toEqual([100, '/close'])
})

describe('running commands', () => {
  it('collects their results and skips those that do not apply', async () => {
    const { commands } = parseQuickActions('/close\n/merge\n/title New')
    const outcome = await runEach(commands, ({ name, args }) => {
      if (name === 'merge') return undefined
      if (name === 'close') return { changes: { state_event: 'close' }, message: 'Closed this issue.' }
      return { changes: { title: args }, message: `Changed the title to "${args}".` }
    })
    expect(outcome).toEqual({
      changes: { state_event: 'close', title: 'New' },
      summary: ['Closed this issue.', 'Changed the title to "New".'],
    })
  })
})
