import { describe, expect, it } from 'vitest'
import { extendTo, lineHash, readLineHash } from '../../renderer/components/code/line-range.ts'
import { columns } from '../../renderer/components/code/columns.ts'
import { rewriteHtml } from '../../renderer/components/markdown/rewrite-html.ts'
import { bodyOf } from '../../renderer/views/repository/commit-message.ts'
import {
  contentOf,
  contentWithoutBytes,
  previewOf,
  readContent,
} from '../../renderer/views/repository/file-content.ts'
import { findFiles } from '../../renderer/views/repository/find-file.ts'
import { readmeOf } from '../../renderer/views/repository/useTree.ts'
import { resolveRefPath, splitRefPath } from '../../renderer/views/repository/refs.ts'
import type { TreeItem } from '../../renderer/api/schema.gen.ts'

describe('splitting a path into ref and file path', () => {
  const names = ['main', 'feature', 'feature/wal', 'feature/wal-2']
  const never = (): Promise<never> => Promise.reject(new Error('nobody should ask'))

  it('takes the longest known name at the start', () => {
    expect(splitRefPath('feature/wal/src/a.rs', names)).toEqual({ ref: 'feature/wal', path: 'src/a.rs' })
    expect(splitRefPath('feature/wal-2', names)).toEqual({ ref: 'feature/wal-2', path: '' })
    expect(splitRefPath('feature/walrus/x', names)).toEqual({ ref: 'feature', path: 'walrus/x' })
  })

  it('takes the first segment if no name is known', () => {
    expect(splitRefPath('gone/src', names)).toEqual({ ref: 'gone', path: 'src' })
    expect(splitRefPath('', names)).toEqual({ ref: '', path: '' })
  })

  it('sends no request for commit IDs and the default branch', async () => {
    const sha = 'a'.repeat(40)
    expect(await resolveRefPath(`${sha}/src`, 'main', never)).toEqual({ ref: sha, path: 'src' })
    expect(await resolveRefPath('main/src/a', 'main', never)).toEqual({ ref: 'main', path: 'src/a' })
    expect(await resolveRefPath('v1.0', 'main', never)).toEqual({ ref: 'v1.0', path: '' })
  })

  it('requests longer prefixes while the list of names is incomplete', async () => {
    const prefixes: string[] = []
    const answer = await resolveRefPath('team/a/b/c.txt', 'main', (prefix) => {
      prefixes.push(prefix)
      return Promise.resolve({
        names: prefix === 'team' ? ['team/x'] : ['team/a/b'],
        isWhole: prefix !== 'team',
      })
    })
    expect(prefixes).toEqual(['team', 'team/a'])
    expect(answer).toEqual({ ref: 'team/a/b', path: 'c.txt' })
  })
})

describe('selecting lines', () => {
  it('reads and writes the fragment of the URL', () => {
    expect(readLineHash('#L10')).toEqual({ from: 10, to: 10 })
    expect(readLineHash('#L20-L10')).toEqual({ from: 10, to: 20 })
    for (const wrong of ['', '#L0', '#L1-0', '#x', '#L99999999999', '#L1-2-3'])
      expect(readLineHash(wrong)).toBeNull()
    expect([lineHash({ from: 3, to: 3 }), lineHash({ from: 3, to: 9 })]).toEqual(['#L3', '#L3-9'])
  })

  it('extends with Shift in both directions, and clears a single line that is selected again', () => {
    expect(extendTo({ from: 5, to: 5 }, 9, true)).toEqual({ from: 5, to: 9 })
    expect(extendTo({ from: 5, to: 9 }, 2, true)).toEqual({ from: 2, to: 9 })
    expect(extendTo({ from: 5, to: 5 }, 5, false)).toBeNull()
    expect(extendTo(null, 4, true)).toEqual({ from: 4, to: 4 })
  })

  it('counts columns with tabs and wide characters', () => {
    expect([columns('abc'), columns('a\tb'), columns('\t\t'), columns('日本'), columns('é')]).toEqual([
      3, 5, 8, 4, 1,
    ])
  })
})

describe('the content of a file', () => {
  const base64 = (bytes: number[]): string => btoa(String.fromCharCode(...bytes))

  it('is detected as text, with its encoding and line ends', () => {
    expect(readContent(btoa('a\r\nb'))).toEqual({
      kind: 'text',
      text: 'a\nb',
      encoding: 'UTF-8',
      line_ending: 'CRLF',
      lines: 2,
    })
    expect(readContent(base64([0xe9, 10]))).toMatchObject({
      text: 'é\n',
      encoding: 'Latin 1',
      line_ending: 'LF',
      lines: 1,
    })
    expect(readContent('')).toMatchObject({ kind: 'text', lines: 0, line_ending: '' })
    expect(readContent(base64([0xff, 0xfe, 65, 0]))).toMatchObject({
      text: 'A',
      encoding: 'UTF-16 LE',
    })
  })

  it('is not shown if it is binary or too large', () => {
    expect(readContent(base64([1, 0, 2]))).toEqual({ kind: 'binary' })
    expect(contentWithoutBytes('a.sql', 50_000_000)).toEqual({ kind: 'too_large' })
    expect(contentWithoutBytes('a.sql', 5_000)).toBeNull()
    expect(contentWithoutBytes('a.PNG', 50_000_000)).toEqual({ kind: 'image', type: 'image/png' })
  })

  it('is detected as an LFS pointer', () => {
    const pointer = btoa(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5000000\n`,
    )
    expect(readContent(pointer)).toEqual({ kind: 'large', stored: 5_000_000 })
    expect(readContent(btoa('version 1\nsize 5\n'))).toMatchObject({ kind: 'text' })
    // The bytes of an image of this size are requested, and shown as an image whatever they are.
    expect(contentWithoutBytes('a.png', 131)).toBeNull()
    expect(contentOf('a.png', pointer)).toEqual({ kind: 'image', type: 'image/png', stored: 5_000_000 })
    expect(contentOf('a.png', base64([1, 0, 2]))).toEqual({ kind: 'image', type: 'image/png' })
    expect(contentOf('a.svg', pointer, true)).toEqual({ kind: 'large', stored: 5_000_000 })
  })

  it('can be an SVG that is shown as an image, or as its text on request', () => {
    expect(contentWithoutBytes('a.svg', 6)).toEqual({ kind: 'image', type: 'image/svg+xml' })
    expect(contentWithoutBytes('a.svg', 6, true)).toBeNull()
    expect(contentWithoutBytes('a.png', 6, true)).toMatchObject({ kind: 'image' })
    expect(['a.md', 'a.svg', 'a.png', 'a.rs'].map(previewOf)).toEqual([
      'document',
      'drawing',
      'picture',
      null,
    ])
  })

  it('prefers Markdown to other README files, and never takes a folder', () => {
    const item = (name: string, type: TreeItem['type'] = 'blob'): TreeItem => ({
      id: name,
      name,
      path: name,
      type,
      mode: '100644',
    })
    expect(readmeOf([item('README', 'tree'), item('readme.txt'), item('ReadMe.md')])?.name).toBe('ReadMe.md')
    expect(readmeOf([item('README.rst'), item('readme.rs')])?.name).toBe('README.rst')
    expect(readmeOf([item('main.rs')])).toBeNull()
  })
})

describe('finding a file', () => {
  const paths = [
    'src/wal/segment.rs',
    'src/index/seg.rs',
    'docs/segments.md',
    'tests/power_loss.rs',
    'README.md',
  ]
  const find = (query: string): string[] => findFiles(paths, query).map((file) => file.path)

  it('matches letters in their order, and prefers names to folders', () => {
    expect(find('seg')[0]).toBe('src/index/seg.rs')
    expect(find('powl')).toEqual(['tests/power_loss.rs'])
    expect(find('walseg')).toEqual(['src/wal/segment.rs'])
    expect(find('readme')).toEqual(['README.md'])
    expect(find('zzz')).toEqual([])
    expect(find('  ')).toEqual([])
  })

  it('returns the matched ranges of the path', () => {
    expect(findFiles(['src/wal/segment.rs'], 'seg')).toEqual([
      { path: 'src/wal/segment.rs', marks: [[8, 11]] },
    ])
  })
})

describe('rendered text in a repository', () => {
  const location = { full_path: 'salt/heron', ref: 'feature/wal', folder: 'docs' }
  const rewrite = (html: string): string => rewriteHtml(html, location)

  it('has relative links to files and folders of the same ref', () => {
    expect(rewrite('<a href="format.md#head">x</a>')).toContain(
      'href="/salt/heron/-/blob/feature/wal/docs/format.md#head"',
    )
    expect(rewrite('<a href="../src/">x</a>')).toContain('href="/salt/heron/-/tree/feature/wal/src"')
    expect(rewrite('<a href="/LICENSE">x</a>')).toContain('href="/salt/heron/-/blob/feature/wal/LICENSE"')
    expect(rewrite('<a href="../../../../x%20y">x</a>')).toContain('/feature/wal/x%20y"')
  })

  it('keeps URLs of the server, and opens other hosts in a new tab', () => {
    expect(rewrite('<a href="/salt/heron/-/issues/1">x</a>')).toContain('href="/salt/heron/-/issues/1"')
    expect(rewrite('<a href="#top">x</a>')).toContain('href="#top"')
    expect(rewrite('<a href="https://example.com/">x</a>')).toContain(
      'target="_blank" rel="noopener noreferrer"',
    )
  })

  it('shows images of servers in the settings, and of no others', () => {
    const html = '<img src="https://draw.test/svg/x"><img alt="far" src="https://draw.test.evil.test/x">'
    expect(rewriteHtml(html, location, ['https://draw.test'])).toBe(
      '<img src="https://draw.test/svg/x"><span class="tag" title="External image: https://draw.test.evil.test/x">far</span>',
    )
    expect(rewriteHtml(html, location)).not.toContain('<img')
  })

  it('has the language of a code block in a data attribute, because `lang` means a natural language', () => {
    expect(rewrite('<pre lang="js"><code>x</code></pre>')).toBe('<pre data-lang="js"><code>x</code></pre>')
  })

  it('shows images of the repository raw, and only the description of others', () => {
    expect(rewrite('<img src="a.png">')).toContain('src="/salt/heron/-/raw/feature/wal/docs/a.png"')
    expect(rewrite('<img alt="a harbour">')).toContain('>a harbour</span>')
    const far = rewrite('<img src="https://example.com/badge.svg" alt="build">')
    expect(far).toContain('build')
    expect(far).not.toContain('<img')
    expect(rewrite('<img src="//example.com/x.png" srcset="https://example.com/y.png 2x">')).not.toMatch(
      /<img|srcset/,
    )
  })
})

describe('the body of a commit message', () => {
  it('is the message without its first line', () => {
    expect([bodyOf('a\n\nb\nc\n'), bodyOf('a'), bodyOf('')]).toEqual(['b\nc', '', ''])
  })
})
