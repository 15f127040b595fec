import { jsonLines } from '../../renderer/workers/json-lines.ts'
import { describe, expect, it } from 'vitest'
import { rewriteHtml } from '../../renderer/components/markdown/rewrite-html.ts'
import { countTasks, withTask } from '../../renderer/components/markdown/tasks.ts'
import { readNotebook } from '../../renderer/views/repository/look/notebook.ts'
import { readTable, separatorOf } from '../../renderer/views/repository/look/table-text.ts'

describe('a task list', () => {
  const text = '- [ ] a\n  - [x] b\n\n```\n- [ ] code\n```\n> 1. [ ] c\n- [y] d'

  it('has the checkboxes that the page shows', () => {
    expect(countTasks(text)).toBe(3)
  })

  it('changes one checkbox and nothing else', () => {
    expect(withTask(text, 0, true)).toBe(text.replace('- [ ] a', '- [x] a'))
    expect(withTask(text, 1, false)).toBe(text.replace('[x] b', '[ ] b'))
    expect(withTask(text, 2, true)).toBe(text.replace('1. [ ] c', '1. [x] c'))
    expect(withTask(text, 3, true)).toBe(text)
  })
})

describe('an alert', () => {
  it.each(['\n', '<br>'])('is a quotation that begins with its type', (end) => {
    const html = rewriteHtml(`<blockquote><p>[!NOTE]${end}Low <b>water</b></p></blockquote>`, null)
    expect(html).toBe(
      '<div class="alert alert-note"><p class="alert-title">Note</p><p>Low <b>water</b></p></div>',
    )
  })

  it('has only known types', () => {
    const html = '<blockquote><p>[!SHOUT]\nno</p></blockquote>'
    expect(rewriteHtml(html, null)).toBe(html)
  })
})

describe('a table', () => {
  it('has quoted cells with separators, quotes and line ends', () => {
    expect(readTable('a,"b, ""c""\nd"\n1,2\n', ',', 10)).toEqual([
      ['a', 'b, "c"\nd'],
      ['1', '2'],
    ])
    expect(readTable('a\n\nb', ',', 1)).toEqual([['a']])
  })

  it('is separated by the most frequent separator of its first line', () => {
    expect(separatorOf('a.csv', 'a;b;c,d\n')).toBe(';')
    expect(separatorOf('a.tsv', 'a,b')).toBe('\t')
  })
})

describe('a notebook', () => {
  it('has texts, code and outputs', () => {
    const file = {
      metadata: { kernelspec: { language: 'julia' } },
      cells: [
        { cell_type: 'markdown', source: ['# A\n', 'b'] },
        {
          cell_type: 'code',
          execution_count: 2,
          source: 'f(1)',
          outputs: [
            { output_type: 'stream', text: ['1\n'] },
            { output_type: 'display_data', data: { 'image/png': 'aGk=\n', 'text/plain': 'x' } },
            { output_type: 'error', traceback: ['\u001B[31mNo\u001B[0m'] },
          ],
        },
      ],
    }
    expect(readNotebook(JSON.stringify(file))).toEqual({
      language: 'julia',
      cells: [
        { kind: 'markdown', text: '# A\nb', run: null, outputs: [] },
        {
          kind: 'code',
          text: 'f(1)',
          run: 2,
          outputs: [
            { kind: 'text', text: '1\n' },
            { kind: 'picture', address: 'data:image/png;base64,aGk=' },
            { kind: 'error', text: 'No\n' },
          ],
        },
      ],
    })
    expect(readNotebook('{')).toBeNull()
    expect(readNotebook('[]')).toBeNull()
  })
})

describe('highlighted JSON', () => {
  it('highlights names, strings, numbers and words, and escapes HTML', () => {
    const [first, second] = jsonLines('{"a<b": "x\\"y", "n": -1.5e3,\n  "ok": true} // end')
    expect(first).toBe(
      '{<span class="hljs-attr">&#34;a&#60;b&#34;</span>: ' +
        '<span class="hljs-string">&#34;x\\&#34;y&#34;</span>, ' +
        '<span class="hljs-attr">&#34;n&#34;</span>: <span class="hljs-number">-1.5e3</span>,',
    )
    expect(second).toContain('<span class="hljs-literal">true</span>')
    expect(second).toContain('<span class="hljs-comment">// end</span>')
  })

  it('keeps the text of every line, also in invalid files', () => {
    const text = '{"open: [1, <img src=x>\n\n]"\n"https://example.com"'
    const plain = (html: string) =>
      html.replaceAll(/<[^>]*>/g, '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    expect(jsonLines(text).map(plain).join('\n')).toBe(text)
  })
})
