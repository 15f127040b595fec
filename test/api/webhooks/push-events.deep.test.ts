import { describe, expect, it } from 'vitest'

import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { addressOf, commit, git, local } from '../../git-http/remote.ts'
import { keys, listen, PROJECT_KEYS, recorded } from './recorded.ts'

const ZERO = '0'.repeat(40)
const here = await world()
const root = here.as(here.root)
const ada = here.make.user({ username: 'ada' })
const project = await here.make.project({ owner: ada, description: 'A project' })
const folder = local()
const remote = addressOf(here)(project, ada)
const page = `${here.url}/ada/${project.path}`

const push = async (...args: string[]): Promise<void> => {
  const { code, stderr } = await git(folder, 'push', '-q', remote, ...args)
  if (code !== 0) throw new Error(stderr)
}
const head = (): string => shell(folder, ['rev-parse', 'HEAD'])
const pushJobs = (): string[] => here.jobs().filter((name) => name === 'event:webhooks.push')

it('an event stores no jobs without a listener', async () => {
  here.jobs()
  expect(await recorded(here, null, () => push('main'))).toEqual([])
  expect(pushJobs()).toEqual([])
})

describe('a push of a branch', () => {
  it('has an event with its newest commits, oldest first, and their paths', async () => {
    listen(here, { project_id: project.id })
    const before = head()
    commit(folder, 'added.txt', 'one\n')
    const second = commit(folder, 'README.md', '# Changed\n')
    shell(folder, ['mv', 'added.txt', 'dir é.txt'])
    shell(folder, ['commit', '-qm', 'Move it\n\nWith a body.'])
    const events = await recorded(here, null, () => push('main', '-o', 'ci.skip', '-o', 'mr.title=A=B'))
    expect(events.map((event) => event.kind)).toEqual(['push'])
    const [event] = events
    expect(event).toMatchObject({ project_id: project.id, actor_id: ada.id, ref: 'main' })
    const { payload } = event!
    const at = {
      author: { name: expect.any(String), email: expect.any(String) },
      timestamp: expect.any(String),
    }
    expect(payload).toEqual({
      object_kind: 'push',
      event_name: 'push',
      before,
      after: head(),
      ref: 'refs/heads/main',
      checkout_sha: head(),
      message: null,
      user_id: ada.id,
      user_name: expect.any(String),
      user_username: 'ada',
      user_email: '[REDACTED]',
      user_avatar: expect.stringContaining('/-/avatars/'),
      project_id: project.id,
      project: expect.objectContaining({
        id: project.id,
        web_url: page,
        description: 'A project',
        visibility_level: 0,
        default_branch: 'main',
        namespace: expect.any(String),
        git_http_url: `${page}.git`,
        ci_config_path: project.ci_config_path,
      }),
      commits: [
        expect.objectContaining({
          message: 'Write added.txt',
          added: ['added.txt'],
          modified: [],
          removed: [],
        }),
        {
          ...at,
          id: second,
          title: 'Write README.md',
          message: 'Write README.md',
          url: `${page}/-/commit/${second}`,
          added: [],
          modified: ['README.md'],
          removed: [],
        },
        {
          ...at,
          id: head(),
          title: 'Move it',
          message: 'Move it\n\nWith a body.',
          url: `${page}/-/commit/${head()}`,
          added: ['dir é.txt'],
          modified: [],
          removed: ['added.txt'],
        },
      ],
      total_commits_count: 3,
      push_options: { ci: { skip: true }, merge_request: { title: 'A=B' } },
      repository: {
        name: project.name,
        url: payload.project.git_ssh_url,
        description: 'A project',
        homepage: page,
        git_http_url: `${page}.git`,
        git_ssh_url: payload.project.git_ssh_url,
        visibility_level: 0,
      },
    })
    expect(keys(payload.project)).toEqual(PROJECT_KEYS)
    // RFC 3339, which clients in Go require.
    expect(payload.commits[0].timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/)
  })

  it('that is new has the commits missing in the default branch; a deleted one has none', async () => {
    shell(folder, ['checkout', '-qb', 'feature/x'])
    const tip = commit(folder, 'feature.txt', 'x\n')
    const [made] = await recorded(here, 'push', () => push('feature/x'))
    expect(made).toMatchObject({
      ref: 'feature/x',
      payload: { before: ZERO, after: tip, total_commits_count: 1 },
    })
    expect(made!.payload.push_options).toEqual({})
    const [deletions] = await recorded(here, 'push', () => push('--delete', 'feature/x'))
    expect(deletions!.payload).toMatchObject({
      before: tip,
      after: ZERO,
      checkout_sha: null,
      commits: [],
      total_commits_count: 0,
    })
    shell(folder, ['checkout', '-q', 'main'])
  })

  it('shows twenty commits and counts all', async () => {
    const script = Array.from({ length: 120 }, (_, n) => {
      const from = n === 0 ? `from ${head()}\n` : ''
      const message = `Number ${n + 1}`
      return `commit refs/heads/main\ncommitter A <a@b> ${1_800_000_000 + n} +0000\ndata ${message.length}\n${message}\n${from}`
    })
    shell(folder, ['fast-import', '--quiet'], script.join(''))
    shell(folder, ['reset', '-q', '--hard'])
    const [event] = await recorded(here, 'push', () => push('main'))
    const { commits, total_commits_count } = event!.payload
    expect(total_commits_count).toBe(120)
    expect(commits).toHaveLength(20)
    expect([commits[0].title, commits[19].title]).toEqual(['Number 101', 'Number 120'])
    expect(commits[19]).toMatchObject({ added: [], modified: [], removed: [] })
  })

  it('through the API has an event with the name of the caller', async () => {
    const change = { branch: 'main', commit_message: 'By API', content: 'x' }
    const events = await recorded(here, 'push', () =>
      root.post(`/projects/${project.id}/repository/files/api.txt`, change),
    )
    expect(events.map(({ payload }) => [payload.user_id, payload.commits[0].added])).toEqual([
      [1, ['api.txt']],
    ])
    await git(folder, 'pull', '-q', remote, 'main')
  })
})

describe('a push of a tag', () => {
  it('has an event with its message and commit', async () => {
    shell(folder, ['tag', '-a', 'v1', '-m', 'Version one\n\nFirst.'])
    const tag = shell(folder, ['rev-parse', 'v1'])
    const [event, ...more] = await recorded(here, 'tag_push', () => push('v1'))
    expect(more).toEqual([])
    expect(event!.ref).toBe('v1')
    expect(event!.payload).toMatchObject({
      object_kind: 'tag_push',
      event_name: 'tag_push',
      before: ZERO,
      after: tag,
      ref: 'refs/tags/v1',
      checkout_sha: head(),
      message: 'Version one\n\nFirst.',
      commits: [],
      total_commits_count: 0,
    })
    const [deletions] = await recorded(here, 'tag_push', () => push('--delete', 'v1'))
    expect(deletions!.payload).toMatchObject({ before: tag, after: ZERO, checkout_sha: null, message: null })
  })
})

describe('push_event_hooks_limit', () => {
  it('counts branches and tags separately; too many have no events', async () => {
    const tags = ['t1', 't2', 't3', 't4'].map((name) => `HEAD:refs/tags/${name}`)
    const branches = ['b1', 'b2', 'b3'].map((name) => `HEAD:refs/heads/${name}`)
    const events = await recorded(here, null, () => push(...branches, ...tags))
    expect(events.filter((event) => event.kind === 'tag_push')).toEqual([])
    expect(events.filter((event) => event.kind === 'push').map((event) => event.ref)).toEqual([
      'b1',
      'b2',
      'b3',
    ])
  })

  it('counts all parts of a large push', async () => {
    const many = Array.from({ length: 200 }, (_, n) => `HEAD:refs/heads/many/${n}`)
    await root.put('/application/settings', { push_event_hooks_limit: 200 })
    here.jobs()
    const events = await recorded(here, null, () =>
      push(...many, 'HEAD:refs/heads/many/200', 'HEAD:refs/tags/m1'),
    )
    expect(events.filter((event) => event.kind === 'push')).toEqual([])
    expect(events.filter((event) => event.kind === 'tag_push').map((event) => event.ref)).toEqual(['m1'])
    await root.put('/application/settings', { push_event_hooks_limit: 0 })
    expect(await recorded(here, 'push', () => push('HEAD:refs/heads/none'))).toEqual([])
  })
})
