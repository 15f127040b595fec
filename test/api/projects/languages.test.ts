import { describe, expect, it } from 'vitest'

import { readAttributes, isIgnored } from '../../../server/domains/repository/languages/service.ts'
import { loadCatalog, languageOf } from '../../../server/domains/repository/languages/catalog.ts'
import { world } from '../../support/world.ts'

const { as, make, drain } = await world()
const ada = make.user({ username: 'ada' })
const eve = make.user({ username: 'eve' })
const project = await make.project({ owner: ada, with: 'readme', visibility: 'internal' })
const at = `/projects/${project.id}`

/** Commits files. Null as content deletes a file. */
async function commit(files: Record<string, string | null>, branch = 'main', start?: string) {
  const actions = Object.entries(files).map(([file_path, content]) =>
    content === null ? { action: 'delete', file_path } : { action: 'create', file_path, content },
  )
  const from = start ? { start_branch: start } : {}
  const { status, text } = await as(ada).post(`${at}/repository/commits`, {
    branch,
    commit_message: 'Change files',
    actions,
    ...from,
  })
  if (status !== 201) throw new Error(text)
}
const languages = async () => (await as(ada).get(`${at}/languages`)).body
const found = async (language: string, user = ada) =>
  (await as(user).get(`/projects?with_programming_language=${language}`)).body.map(
    (row: { id: number }) => row.id,
  )

describe('GET /projects/:id/languages', () => {
  it('is empty without code', async () => {
    expect(await languages()).toEqual({})
    const empty = await make.project({ owner: ada })
    expect((await as(ada).get(`/projects/${empty.id}/languages`)).body).toEqual({})
  })

  it('lists the share of each language in the default branch, the largest first', async () => {
    await commit({
      'src/main.py': 'x'.repeat(600),
      'web/app.tsx': 'x'.repeat(200),
      'web/util.ts': 'x'.repeat(100),
      Makefile: 'x'.repeat(100),
      'data.json': 'x'.repeat(5000),
      'docs/long.py': 'x'.repeat(5000),
      'node_modules/a/index.js': 'x'.repeat(5000),
      'lib/code.min.js': 'x'.repeat(5000),
    })
    expect(await languages()).toEqual({ Python: 60, TypeScript: 30, Makefile: 10 })
    expect(Object.keys(await languages())).toEqual(['Python', 'TypeScript', 'Makefile'])
  })

  it('makes lists find the project, soon after a push', async () => {
    await drain()
    expect(await found('python')).toEqual([project.id])
    expect(await found('Python', eve)).toEqual([project.id])
    expect(await found('Rust')).toEqual([])
    await commit({ 'src/main.py': null, 'src/main.rs': 'x'.repeat(100) })
    await drain()
    expect([await found('Python'), await found('Rust')]).toEqual([[], [project.id]])
  })

  it('follows the default branch', async () => {
    await commit({ 'main.go': 'x'.repeat(1400) }, 'next', 'main')
    await drain()
    expect(await found('Go')).toEqual([])
    await as(ada).put(at, { default_branch: 'next' })
    expect((await languages()).Go).toBe(73.68)
    await drain()
    expect(await found('Go')).toEqual([project.id])
  })

  it('respects .gitattributes', async () => {
    const lines = [
      '*.go linguist-vendored',
      'web/** linguist-language=Rust',
      'Makefile linguist-detectable=false',
      'docs/*.py -linguist-documentation',
    ]
    await commit({ '.gitattributes': lines.join('\n') }, 'next')
    expect(await languages()).toEqual({ Python: 92.59, Rust: 7.41 })
  })

  it('requires the right to read the code', async () => {
    expect((await as(null).get(`${at}/languages`)).status).toBe(404)
    await as(ada).put(at, { repository_access_level: 'private' })
    expect((await as(eve).get(`${at}/languages`)).status).toBe(403)
  })
})

describe('detecting languages', () => {
  it('uses names and extensions', async () => {
    const known = await loadCatalog()
    const names: [string, string | undefined][] = [
      ['a/b.rs', 'Rust'],
      ['x.m', 'Objective-C'],
      ['Dockerfile', 'Dockerfile'],
      ['index.d.ts', 'TypeScript'],
      ['page.html.erb', 'HTML'],
      ['notes.md', undefined],
      ['data.yml', undefined],
      ['picture.png', undefined],
      ['none', undefined],
    ]
    for (const [path, name] of names) expect([path, languageOf(known, path)]).toEqual([path, name])
  })

  it('skips vendored files', () => {
    const paths = ['vendor/a.go', 'x/third_party/b.c', 'jquery-3.1.js', 'a.pb.go', 'README.py', 'x.map']
    expect(paths.filter((path) => !isIgnored(path))).toEqual([])
    expect(['src/vendor.go', 'app/main.js', 'mapper.ts'].filter(isIgnored)).toEqual([])
  })

  it('parses attributes as git does', () => {
    const of = readAttributes(
      '# comment\n/top.c linguist-generated\nsub/ linguist-vendored=true\n*.x linguist-language=C\nkept.x !linguist-vendored text',
    )
    expect(of('top.c')).toEqual({ ignored: true })
    expect(of('a/top.c')).toEqual({})
    expect(of('sub/deep/a.c')).toEqual({ ignored: true })
    expect(of('a/b.x')).toEqual({ language: 'C' })
    expect(of('kept.x')).toEqual({ language: 'C', ignored: false })
    expect(readAttributes('* text=auto')('a.c')).toEqual({})
    const deep = readAttributes(
      'a/**/b.c linguist-vendored\ndocs/** linguist-documentation\n[xy].c linguist-detectable',
    )
    expect([of('z.c'), deep('a/b.c'), deep('a/x/y/b.c'), deep('c/a/b.c')]).toEqual([
      {},
      { ignored: true },
      { ignored: true },
      {},
    ])
    expect([deep('docs/a/b.md'), deep('a/docs/b.md'), deep('d/x.c')]).toEqual([
      { ignored: true },
      {},
      { ignored: false },
    ])
  })

  it('matches patterns with many wildcards quickly', () => {
    const of = readAttributes(
      `${'*a'.repeat(40)}*b linguist-vendored\n${'**/a/'.repeat(20)}b linguist-vendored`,
    )
    expect(of('a'.repeat(250))).toEqual({})
    expect(of(`${'a'.repeat(250)}b`)).toEqual({ ignored: true })
    expect(of(`${'a/'.repeat(500)}c`)).toEqual({})
    expect(of(`${'a/'.repeat(500)}b`)).toEqual({ ignored: true })
  })
})
