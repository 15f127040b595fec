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

describe('finding the end of a ref in a path', () => {
  const names = ['main', 'feature', 'feature/wal', 'feature/wal-2']
  const never = (): Promise<never> => Promise.reject(new Error('nobody should ask'))

  it('takes the longest name the address begins with', () => {
    expect(splitRefPath('feature/wal/src/a.rs', names)).toEqual({ ref: 'feature/wal', path: 'src/a.rs' })
    expect(splitRefPath('feature/wal-2', names)).toEqual({ ref: 'feature/wal-2', path: '' })
    expect(splitRefPath('feature/walrus/x', names)).toEqual({ ref: 'feature', path: 'walrus/x' })
  })

  it('takes the first part where no name is known', () => {
    expect(splitRefPath('gone/src', names)).toEqual({ ref: 'gone', path: 'src' })
    expect(splitRefPath('', names)).toEqual({ ref: '', path: '' })
  })

  it('asks nobody about commit ids and the default branch', async () => {
    const sha = 'a'.repeat(40)
    expect(await resolveRefPath(`${sha}/src`, 'main', never)).toEqual({ ref: sha, path: 'src' })
    expect(await resolveRefPath('main/src/a', 'main', never)).toEqual({ ref: 'main', path: 'src/a' })
    expect(await resolveRefPath('v1.0', 'main', never)).toEqual({ ref: 'v1.0', path: '' })
  })

  it('asks for longer beginnings while the list of names is cut off', async () => {
    const asked: string[] = []
    const answer = await resolveRefPath('team/a/b/c.txt', 'main', (prefix) => {
      asked.push(prefix)
      return Promise.resolve({
        names: prefix === 'team' ? ['team/x'] : ['team/a/b'],
        isWhole: prefix !== 'team',
      })
    })
    expect(asked).toEqual(['team', 'team/a'])
    expect(answer).toEqual({ ref: 'team/a/b', path: 'c.txt' })
  })
})

describe('choosing lines', () => {
  it('reads and writes the part of the address behind #', () => {
    expect(readLineHash('#L10')).toEqual({ from: 10, to: 10 })
    expect(readLineHash('#L20-L10')).toEqual({ from: 10, to: 20 })
    for (const wrong of ['', '#L0', '#L1-0', '#x', '#L99999999999', '#L1-2-3'])
      expect(readLineHash(wrong)).toBeNull()
    expect([lineHash({ from: 3, to: 3 }), lineHash({ from: 3, to: 9 })]).toEqual(['#L3', '#L3-9'])
  })

  it('extends with shift in both directions and lets go of a single line chosen twice', () => {
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

describe('judging a file', () => {
  const base64 = (bytes: number[]): string => btoa(String.fromCharCode(...bytes))

  it('detects text, its encoding and its line ends', () => {
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

  it('does not show what is no text or too much of it', () => {
    expect(readContent(base64([1, 0, 2]))).toEqual({ kind: 'binary' })
    expect(contentWithoutBytes('a.sql', 50_000_000)).toEqual({ kind: 'too_large' })
    expect(contentWithoutBytes('a.sql', 5_000)).toBeNull()
    expect(contentWithoutBytes('a.PNG', 50_000_000)).toEqual({ kind: 'image', type: 'image/png' })
  })

  it('detects LFS pointers', () => {
    const pointer = btoa(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5000000\n`,
    )
    expect(readContent(pointer)).toEqual({ kind: 'large', stored: 5_000_000 })
    expect(readContent(btoa('version 1\nsize 5\n'))).toMatchObject({ kind: 'text' })
    // A picture of that size is asked for its bytes, and drawn whatever it is.
    expect(contentWithoutBytes('a.png', 131)).toBeNull()
    expect(contentOf('a.png', pointer)).toEqual({ kind: 'image', type: 'image/png', stored: 5_000_000 })
    expect(contentOf('a.png', base64([1, 0, 2]))).toEqual({ kind: 'image', type: 'image/png' })
    expect(contentOf('a.svg', pointer, true)).toEqual({ kind: 'large', stored: 5_000_000 })
  })

  it('shows a drawing as a picture, or as its text where that is wanted', () => {
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

  it('takes Markdown before other read-me files, and never a folder', () => {
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

  it('finds letters in their order, names before folders', () => {
    expect(find('seg')[0]).toBe('src/index/seg.rs')
    expect(find('powl')).toEqual(['tests/power_loss.rs'])
    expect(find('walseg')).toEqual(['src/wal/segment.rs'])
    expect(find('readme')).toEqual(['README.md'])
    expect(find('zzz')).toEqual([])
    expect(find('  ')).toEqual([])
  })

  it('shows where in the path it was found', () => {
    expect(findFiles(['src/wal/segment.rs'], 'seg')).toEqual([
      { path: 'src/wal/segment.rs', marks: [[8, 11]] },
    ])
  })
})

describe('placing rendered text in a repository', () => {
  const location = { full_path: 'salt/heron', ref: 'feature/wal', folder: 'docs' }
  const rewrite = (html: string): string => rewriteHtml(html, location)

  it('leads relative links to files and folders of the same ref', () => {
    expect(rewrite('<a href="format.md#head">x</a>')).toContain(
      'href="/salt/heron/-/blob/feature/wal/docs/format.md#head"',
    )
    expect(rewrite('<a href="../src/">x</a>')).toContain('href="/salt/heron/-/tree/feature/wal/src"')
    expect(rewrite('<a href="/LICENSE">x</a>')).toContain('href="/salt/heron/-/blob/feature/wal/LICENSE"')
    expect(rewrite('<a href="../../../../x%20y">x</a>')).toContain('/feature/wal/x%20y"')
  })

  it('leaves what the server addressed, and sends other hosts to a window of their own', () => {
    expect(rewrite('<a href="/salt/heron/-/issues/1">x</a>')).toContain('href="/salt/heron/-/issues/1"')
    expect(rewrite('<a href="#top">x</a>')).toContain('href="#top"')
    expect(rewrite('<a href="https://example.com/">x</a>')).toContain(
      'target="_blank" rel="noopener noreferrer"',
    )
  })

  it('shows pictures of servers that the settings name, and of no others', () => {
    const html = '<img src="https://draw.test/svg/x"><img alt="far" src="https://draw.test.evil.test/x">'
    expect(rewriteHtml(html, location, ['https://draw.test'])).toBe(
      '<img src="https://draw.test/svg/x"><span class="tag" title="External image: https://draw.test.evil.test/x">far</span>',
    )
    expect(rewriteHtml(html, location)).not.toContain('<img')
  })

  it('names the grammar of a fence where it is not taken for a tongue', () => {
    expect(rewrite('<pre lang="js"><code>x</code></pre>')).toBe('<pre data-lang="js"><code>x</code></pre>')
  })

  it('shows pictures of the repository raw, and only the description of pictures elsewhere', () => {
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

describe('the message of a commit', () => {
  it('takes the first line off a message', () => {
    expect([bodyOf('a\n\nb\nc\n'), bodyOf('a'), bodyOf('')]).toEqual(['b\nc', '', ''])
  })
})
