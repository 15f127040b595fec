import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const at = '/-/workbench/worlds'
const apply = (text: string) => root.post(at, text, { 'content-type': 'application/yaml' })
const row = (table: string) => here.ctx().db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n
const count = () => ['users', 'namespaces', 'projects', 'issues', 'jobs'].map(row)

/** Invalid worlds, each with the line, column and text of its error. None changes anything. */
const wrong: [name: string, text: string, line: number, column: number, message: RegExp][] = [
  [
    'an unknown key',
    'users:\n  - usernam: anna\n',
    2,
    5,
    /"usernam" is unknown here; did you mean "username"/,
  ],
  ['an unknown key like no other', 'planets: []\n', 1, 1, /Known keys are title, .* or projects/],
  ['a missing key', 'users:\n  - name: Anna\n', 2, 5, /username is missing/],
  ['a key twice', 'groups: []\ngroups: []\n', 2, 1, /"groups" is here twice/],
  ['a text where a list should be', 'users: anna\n', 1, 8, /users must be a list, not the text "anna"/],
  ['a number for a name', 'users:\n  - username: 7\n', 2, 15, /username must be a text, not 7/],
  [
    'a word that is none of the list',
    'groups:\n  - { path: a, visibility: publik }\n',
    2,
    28,
    /did you mean public/,
  ],
  ['a time that is none', 'groups:\n  - { path: a, at: yesterday }\n', 2, 20, /is not a time/],
  [
    'a color that is none',
    'groups:\n  - { path: a, labels: [{ name: x, color: blue }] }\n',
    2,
    43,
    /is not a color/,
  ],
  [
    'a missing person',
    'users: [{ username: anna }]\ngroups:\n  - path: a\n    members: { ana: owner }\n',
    4,
    16,
    /no user "ana".*Did you mean "anna"/,
  ],
  [
    'a missing group',
    'groups: [{ path: team }]\nprojects:\n  - path: tema/shop\n',
    3,
    11,
    /no group or user "tema"\. Did you mean "team"/,
  ],
  ['a project without an owner', 'projects:\n  - path: shop\n', 2, 11, /group or user in front/],
  ['a reserved path', 'groups:\n  - path: search\n', 2, 11, /reserved name/],
  [
    'a missing label',
    'projects:\n  - path: root/a\n    labels: [{ name: bug }]\n    issues: [{ title: x, labels: [bugs] }]\n',
    4,
    35,
    /no label "bugs" here. Did you mean "bug"/,
  ],
  [
    'a missing milestone',
    'projects:\n  - path: root/a\n    issues: [{ title: x, milestone: May }]\n',
    3,
    37,
    /no milestone "May"/,
  ],
  [
    'a missing branch',
    'projects:\n  - path: root/a\n    files: { a: b }\n    merge_requests: [{ title: x, source: fix }]\n',
    4,
    42,
    /no branch "fix"/,
  ],
  [
    'a missing commit',
    'projects:\n  - path: root/a\n    commits: [{ message: x, parents: [c9] }]\n',
    3,
    39,
    /No commit before this is called "c9"/,
  ],
  [
    'an author who cannot push',
    'users: [{ username: joe }]\ngroups: [{ path: g }]\nprojects:\n  - path: g/a\n    files: { a: b }\n    branches: [{ name: fix }]\n    merge_requests: [{ title: x, source: fix, author: joe }]\n',
    7,
    55,
    /cannot open a merge request here/,
  ],
  [
    'more visible than its group',
    'groups: [{ path: g }]\nprojects:\n  - { path: g/a, visibility: public }\n',
    3,
    30,
    /cannot be public in the group g/,
  ],
  ['the same group twice', 'groups:\n  - path: a\n  - path: A\n', 3, 11, /two groups "A"/],
  [
    'the same token twice',
    'users:\n  - { username: a, tokens: [{ name: x, token: secret-one }, { name: y, token: secret-one }] }\n',
    2,
    79,
    /same text/,
  ],
  [
    'two issues with one iid',
    'projects:\n  - path: root/a\n    issues: [{ title: x, iid: 3 }, { title: y, iid: 3 }]\n',
    3,
    53,
    /two issues with the iid 3/,
  ],
  [
    'two issues with one title',
    'projects:\n  - path: root/a\n    issues: [{ title: x }, { title: X }]\n',
    3,
    37,
    /two issues "X"; give each of them an iid/,
  ],
  [
    'a negative iid',
    'projects:\n  - path: root/a\n    issues: [{ title: x, iid: -1 }]\n',
    3,
    31,
    /iid must be at least 1/,
  ],
  [
    'an iid that is no whole number',
    'projects:\n  - path: root/a\n    issues: [{ title: x, iid: 1.5 }]\n',
    3,
    31,
    /iid must be a whole number, not 1\.5\.$/,
  ],
  [
    'an iid that is a text',
    'projects:\n  - path: root/a\n    issues: [{ title: x, iid: "1" }]\n',
    3,
    31,
    /iid must be a number, not the text "1"/,
  ],
  [
    'an iid that is too large',
    'projects:\n  - path: root/a\n    issues: [{ title: x, iid: 2147483648 }]\n',
    3,
    31,
    /iid must be at most 2147483647/,
  ],
  [
    'a repeated iid',
    'projects:\n  - path: root/a\n    issues: [{ repeat: 2, title: "x{n}", iid: 3 }]\n',
    3,
    47,
    /two issues with the iid 3/,
  ],
  [
    'two merge requests with one iid',
    'projects:\n  - path: root/a\n    files: { a: b }\n    branches: [{ name: f }, { name: g }]\n    merge_requests:\n      - { title: x, source: f, iid: 2 }\n      - { title: y, source: g, iid: 2 }\n',
    7,
    37,
    /two merge requests with the iid 2/,
  ],
  [
    'a merge of one of two merge requests',
    'projects:\n  - path: root/a\n    files: { a: b }\n    commits:\n      - { branch: f, message: f, files: { f: f } }\n      - { merge: x }\n    branches: [{ name: g }]\n    merge_requests: [{ title: x, source: f, iid: 1 }, { title: x, source: g, iid: 2 }]\n',
    6,
    18,
    /There are 2 merge requests "x"; write the iid of one/,
  ],
  [
    'a merge of a merge request with another iid',
    'projects:\n  - path: root/a\n    files: { a: b }\n    commits:\n      - { branch: f, message: f, files: { f: f } }\n      - { merge: 2 }\n    merge_requests: [{ title: x, source: f, iid: 1 }]\n',
    6,
    18,
    /no merge request with the iid 2 in this project/,
  ],
  [
    'a thread of nobody',
    'projects:\n  - path: root/a\n    issues: [{ title: x, discussions: [{ author: ana, text: y }] }]\n',
    3,
    50,
    /no user "ana"/,
  ],
  [
    'a thread of an issue in a file',
    'projects:\n  - path: root/a\n    issues: [{ title: x, discussions: [{ author: root, text: y, file: a }] }]\n',
    3,
    65,
    /The key "file" is unknown here/,
  ],
  ['an unknown setting', 'settings:\n  signup: true\n', 2, 3, /setting "signup" is not known/],
  ['a wrong setting', 'settings:\n  signup_enabled: [1]\n', 2, 19, /setting "signup_enabled"/],
  ['an alias inside its anchor', 'groups: &g\n  - *g\n', 2, 5, /inside its own anchor/],
  ['an alias without an anchor', 'groups: *nobody\n', 1, 9, /no anchor|Unresolved alias/i],
  [
    'a folder over HTTP',
    'projects:\n  - { path: root/a, folder: /etc }\n',
    2,
    29,
    /Only the command line reads folders/,
  ],
  ['no YAML', 'users: [\n', 2, 1, /not YAML/],
  ['nothing', '# only a comment\n', 1, 1, /empty/],
  ['a binary file', 'PNG\u0001\u0002', 1, 4, /not text/],
  ['a repeat without end', 'groups:\n  - { repeat: 99999999, path: "a{n}" }\n', 2, 15, /from 1 to 10000/],
]

describe('an invalid world', () => {
  it.each(wrong)('is refused for %s', async (_name, text, line, column, message) => {
    const before = count()
    const answer = await apply(text)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].message).toMatch(message)
    expect(answer.body.errors[0]).toMatchObject({ line, column })
    expect(answer.body.message).toContain(`line ${line}, column ${column}`)
    expect(count()).toEqual(before)
  })

  it('reports all errors, in the order of the text', async () => {
    const { body } = await apply('users:\n  - nam: x\ngroups:\n  - { path: a, visibility: x }\n')
    expect(body.errors.map((error: { line: number }) => error.line)).toEqual([2, 2, 4])
  })

  it('is refused quickly if aliases or repetitions would make it endless', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, n) => `x${n + 1}: &x${n + 1} [${`*x${n}, `.repeat(9)}*x${n}]`,
    )
    expect(await apply(`x0: &x0 [a]\n${levels.join('\n')}\n`)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/too large/) },
    })
    const nested =
      'projects:\n  - repeat: 10000\n    path: "root/a{n}"\n    issues: [{ repeat: 10000, title: "i{n}" }]\n'
    expect(await apply(nested)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/too large/) },
    })
    expect(await apply(`a: ${'['.repeat(50_000)}`)).toMatchObject({ status: 400 })
    expect(await apply(`title: ${'x'.repeat(17 * 1024 * 1024)}`)).toMatchObject({
      status: expect.toSatisfy((status: number) => status === 400 || status === 413),
    })
  })

  it('is refused without a body', async () => {
    expect(await root.post(at)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/empty/) },
    })
  })
})

describe('a URL of a Git repository', () => {
  it('that cannot be reached is an error at its position', async () => {
    const silent = createServer(() => undefined)
    const port = await new Promise<number>((resolve) =>
      silent.listen(0, '127.0.0.1', () => resolve((silent.address() as AddressInfo).port)),
    )
    await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    const projects = row('projects')
    const text = (address: string) => `projects:\n  - path: root/cloned\n    git: ${address}\n`
    const hanging = await apply(text(`http://127.0.0.1:${port}/x.git`))
    expect(hanging).toMatchObject({
      status: 400,
      body: { errors: [{ line: 3, column: 10, path: 'projects[0].git' }] },
    })
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
    expect(await apply(text(`http://127.0.0.1:${port}/x.git`))).toMatchObject({
      status: 400,
      body: { errors: [{ line: 3 }] },
    })
    expect(await apply(text('file:///etc'))).toMatchObject({ status: 400, body: { errors: [{ line: 3 }] } })
    expect(row('projects')).toBe(projects)
  }, 60_000)

  it('is imported with its repository', async () => {
    const source = await here.make.project({ with: 'readme', visibility: 'public' })
    const answer = await apply(
      `projects:\n  - path: root/cloned\n    git: ${here.url}/${source.path_with_namespace}.git\n`,
    )
    expect(answer.status).toBe(201)
    const tree = (await root.get('/projects/root%2Fcloned/repository/tree')).body
    expect(tree.map((entry: { name: string }) => entry.name)).toEqual(['README.md'])
  }, 60_000)
})
