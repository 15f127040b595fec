import { describe, expect, it } from 'vitest'

import { parseOwners, matches, readPattern } from '../../../server/domains/repository/code_owners/parse.ts'
import { codeOwnersOf } from '../../../server/domains/repository/index.ts'
import { projectById } from '../../../server/domains/projects/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { world } from '../../support/world.ts'
import { fill } from './fill.ts'

describe('a pattern', () => {
  it.each([
    ['*', 'a/b/c.txt', true],
    ['*.rb', 'lib/deep/a.rb', true],
    ['*.rb', 'lib/a.rbx', false],
    ['/*.rb', 'a.rb', true],
    ['/*.rb', 'lib/a.rb', false],
    ['/docs/', 'docs/a/b.md', true],
    ['/docs/', 'x/docs/a.md', false],
    ['docs/', 'x/docs/a.md', true],
    ['/docs/*', 'docs/a.md', true],
    ['/docs/*', 'docs/a/b.md', false],
    ['/docs/**/*.md', 'docs/a.md', true],
    ['/docs/**/*.md', 'docs/a/b/c.md', true],
    ['/docs/**', 'docs/a/b.md', false],
    ['README', 'sub/README', true],
    ['README', 'README.md', false],
    ['path\\ with\\ spaces/', 'path with spaces/a', true],
    ['\\#tag', '#tag', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[x', '[x', true],
    ['**/**/**/a', 'b/c/d/a', true],
    ['/a/**/b/**/c', 'a/x/b/y/b/z/c', true],
  ])('%s covers %s: %s', (pattern, path, expected) => {
    expect(matches(readPattern(pattern), path)).toBe(expected)
  })

  it('matches quickly, whatever the pattern is', () => {
    const pattern = readPattern(`/${'*a'.repeat(500)}b`)
    const folders = readPattern(`${'**/a/'.repeat(200)}b`)
    const started = cpuTime()
    expect(matches(pattern, 'a'.repeat(4000))).toBe(false)
    expect(matches(folders, `${'a/'.repeat(2000)}c`)).toBe(false)
    expect(cpuTime() - started).toBeLessThan(2000)
  })
})

describe('a CODEOWNERS file', () => {
  it('is parsed in sections', () => {
    const { sections, problems } = parseOwners(
      [
        '# Comment',
        '* @all',
        'my\\ file.txt @one two@example.com # and why',
        '',
        '[Docs][2] @writers',
        'docs/',
        'README.md @group/sub',
        '^[Optional] @helper',
        '*.css',
        '[DOCS]',
        'more/',
      ].join('\r\n'),
    )
    expect(problems).toEqual([])
    expect(
      sections.map((section) => [
        section.name,
        section.optional,
        section.approvals,
        section.entries.map((entry) => [entry.text, entry.owners, entry.line]),
      ]),
    ).toEqual([
      [
        'codeowners',
        false,
        1,
        [
          ['*', ['@all'], 2],
          ['my\\ file.txt', ['@one', 'two@example.com'], 3],
        ],
      ],
      [
        'Docs',
        false,
        2,
        [
          ['docs/', ['@writers'], 6],
          ['README.md', ['@group/sub'], 7],
          ['more/', ['@writers'], 11],
        ],
      ],
      ['Optional', true, 0, [['*.css', ['@helper'], 9]]],
    ])
  })

  it('reports its errors line by line', () => {
    const { problems } = parseOwners('[]\n[open\n[Few][0]\na @b\nb someone\nc\n')
    expect(problems.map((problem) => problem.line)).toEqual([1, 2, 3, 5, 5, 6])
    expect(problems[3]!.message).toBe('someone is neither @user, @group nor an email address.')
  })

  it('is parsed quickly, however strange it is', () => {
    const started = cpuTime()
    parseOwners(`${'['.repeat(100_000)}\n${'^[a]'.repeat(50_000)}\n${'\\ '.repeat(100_000)} @a\n`)
    expect(cpuTime() - started).toBeLessThan(2000)
  })
})

describe('the owners of files', async () => {
  const instance = await world()
  const { as, make } = instance
  const project = await make.project()
  const [owner, member, stranger] = [
    make.user({ username: 'owner' }),
    make.user({ username: 'member' }),
    make.user({ username: 'stranger' }),
  ]
  const group = await make.group()
  await make.member('projects', project.id, owner, 30)
  await make.member('groups', group.id, member, 30)
  await as(instance.root).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 30 })
  const text = `*.js @Owner\nsecret.js @stranger\n[Team][2]\n*.js @${group.path} owner@example.test\ndocs/\n`
  fill(instance, project, [
    { files: { '.gitlab/CODEOWNERS': text } },
    { branch: 'root', files: { CODEOWNERS: '* @owner\n', 'docs/CODEOWNERS': '* @member\n' } },
  ])

  const owners = (ref: string, paths: string[]) =>
    codeOwnersOf(instance.ctx(), projectById(instance.ctx().db, project.id)!, ref, paths)

  it('are users and groups with access to the project', async () => {
    expect(await owners('main', ['a.js', 'secret.js', 'docs/a.md', 'x.txt'])).toEqual([
      {
        section: 'codeowners',
        pattern: '*.js',
        approvals_required: 1,
        paths: ['a.js'],
        user_ids: [owner.id],
        group_ids: [],
        eligible_ids: [owner.id],
      },
      {
        section: 'codeowners',
        pattern: 'secret.js',
        approvals_required: 1,
        paths: ['secret.js'],
        user_ids: [],
        group_ids: [],
        eligible_ids: [],
      },
      {
        section: 'Team',
        pattern: '*.js',
        approvals_required: 2,
        paths: ['a.js', 'secret.js'],
        user_ids: [owner.id],
        group_ids: [group.id],
        eligible_ids: expect.arrayContaining([owner.id, member.id]),
      },
    ])
  })

  it('come from the first of the three paths that exists', async () => {
    expect(await owners('root', ['a'])).toMatchObject([{ pattern: '*', user_ids: [owner.id] }])
    expect(await owners('nope', ['a'])).toEqual([])
  })

  it('can be validated', async () => {
    const at = `/-/projects/${project.id}/code_owners/validate`
    expect((await as(owner).get(at)).body).toEqual({
      path: '.gitlab/CODEOWNERS',
      problems: [{ line: 5, message: 'The files of this pattern have no owner.' }],
    })
    expect((await as(owner).get(`${at}?ref=root`)).body).toEqual({ path: 'CODEOWNERS', problems: [] })
    expect((await as(owner).get(`${at}?ref=nope`)).status).toBe(404)
    expect((await as(stranger).get(at)).status).toBe(404)
  })
})
