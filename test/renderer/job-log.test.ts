import { describe, expect, it } from 'vitest'

import { LogModel, type LogLine } from '../../renderer/components/log/log-model.ts'
import { clockWords, linesWith, revealed, visibleRows } from '../../renderer/components/log/log-rows.ts'

const ESC = '\u001b'
const lines = (model: LogModel) => model.rows.filter((row): row is LogLine => row.kind === 'line')
const read = (...parts: string[]) => {
  const model = new LogModel()
  for (const part of parts) model.append(part)
  return model
}
const SECTION =
  `before\nsection_start:100:get_sources\r${ESC}[0K${ESC}[36;1mGetting source${ESC}[0;m\nFetching\n` +
  `section_start:103:inner[collapsed=true]\r${ESC}[0KInner\ndeep\nsection_end:104:inner\r${ESC}[0K` +
  `section_end:107:get_sources\r${ESC}[0Kafter\n`

describe('a job log', () => {
  it('counts lines and keeps empty ones', () => {
    const model = read('one\n\nthree\n')
    expect(lines(model).map(({ number, text }) => [number, text])).toEqual([
      [1, 'one'],
      [2, ''],
      [3, 'three'],
    ])
    expect(model.lines).toBe(3)
  })

  it('shows colors, also over several lines, and escapes HTML', () => {
    const [first, second] = lines(read(`${ESC}[31;1mred <b>&</b>\nstill${ESC}[0m plain\n`))
    expect(first!.html).toContain('ansi-red-fg')
    expect(first!.html).toContain('&lt;b&gt;&amp;&lt;/b&gt;')
    expect(first!.text).toBe('red <b>&</b>')
    expect(second!.html).toMatch(/ansi-red-fg.*still<\/span> plain/)
  })

  it('shows the last text of a line that overwrites itself', () => {
    expect(lines(read('10%\r50%\r100%\ndone\r\n')).map((line) => line.text)).toEqual(['100%', 'done'])
  })

  it('shows an incomplete line once', () => {
    const model = read('half')
    expect(lines(model).map((line) => line.text)).toEqual(['half'])
    model.append(' done\nne')
    model.append('xt\n')
    expect(lines(model).map(({ number, text }) => [number, text])).toEqual([
      [1, 'half done'],
      [2, 'next'],
    ])
  })

  it('does not repeat the colors of an incomplete line', () => {
    const model = read(`${ESC}[32mgreen`)
    model.append(`${ESC}[0m plain\nlast\n`)
    expect(lines(model).map((line) => line.html)).toEqual([
      '<span class="ansi-green-fg">green</span> plain',
      'last',
    ])
  })

  it('is the same for any chunks', () => {
    const whole = read(SECTION).rows
    for (let at = 1; at < SECTION.length; at++) {
      expect(read(SECTION.slice(0, at), SECTION.slice(at)).rows).toEqual(whole)
    }
  })

  it('has sections with titles and times', () => {
    const { rows } = read(SECTION)
    expect(rows.map((row) => (row.kind === 'line' ? row.text : `[${row.title}]`))).toEqual([
      'before',
      '[Getting source]',
      'Fetching',
      '[Inner]',
      'deep',
      'after',
    ])
    expect(rows[1]).toMatchObject({ name: 'get_sources', start: 100, end: 107, startsClosed: false })
    expect(rows[3]).toMatchObject({ name: 'inner', start: 103, end: 104, startsClosed: true })
  })

  it('collapses sections, and expands those with a search result', () => {
    const { rows } = read(SECTION)
    const closed = new Map([[0, false]])
    expect(visibleRows(rows, new Map())).toHaveLength(5)
    expect(visibleRows(rows, closed).map((row) => (row.kind === 'line' ? row.text : row.name))).toEqual([
      'before',
      'get_sources',
      'after',
    ])
    const [found] = linesWith(rows, 'DEEP')
    expect(found?.text).toBe('deep')
    expect(visibleRows(rows, revealed(found!, closed))).toContain(found)
  })

  it('removes the timestamps of newer runners, and joins continued lines', () => {
    const model = read(
      '2026-11-22T05:00:00.123456Z 00O hello\n2026-11-22T05:00:01.123456Z 00O+ world\n2026-11-22T05:00:02.000000Z 01E no\n',
    )
    expect(lines(model).map(({ text, at }) => [text, at])).toEqual([
      ['hello world', '2026-11-22T05:00:00.123456Z'],
      ['no', '2026-11-22T05:00:02.000000Z'],
    ])
  })

  it('links web addresses only', () => {
    const [line] = lines(read('see https://a.test/x?b=1&c=2, javascript:alert(1)\n'))
    expect(line!.html).toContain('href="https://a.test/x?b=1&amp;c=2,"')
    expect(line!.html).not.toContain('href="javascript')
  })

  it('withstands hostile input', () => {
    const started = `section_start:1:${'a'.repeat(500)}\r`
    const model = read(`${started.repeat(50)}\n${`${ESC}]8;;javascript:x${ESC}\\click${ESC}]8;;${ESC}\\`}\n`)
    expect(
      lines(model)
        .map((line) => line.html)
        .join(''),
    ).not.toContain('<a')
    expect(read(`section_end:5:never_opened\r${ESC}[0Ktext\n`).rows).toHaveLength(1)
  })

  it('formats durations', () => {
    expect([4, 84, 3723].map(clockWords)).toEqual(['0:04', '1:24', '1:02:03'])
  })
})
