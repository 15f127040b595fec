import { ask, type Target } from './client.ts'
import { kind } from './kind.ts'

/** A world with content that takes several steps: history with a merge in the middle, reviews, pipelines, a release. */
export function worldText(name: string): string {
  const person = (who: string) => `${who}-${name}`
  const [anna, ben] = [person('anna'), person('ben')]
  const ci =
    'stages: [build, test]\nbuild: { stage: build, script: make }\nunit: { stage: test, script: make test }\n'
  return JSON.stringify({
    users: [
      { username: anna, tokens: [{ name: 'laptop', token: `token-of-${anna}` }] },
      { username: ben, bio: 'Reviews.' },
    ],
    groups: [
      {
        path: name,
        members: { [anna]: 'owner', [ben]: 'reporter' },
        labels: [{ name: 'bug', color: '#dc3545' }],
        milestones: [{ title: 'May', state: 'closed' }],
      },
    ],
    projects: [
      {
        path: `${name}/shop`,
        at: '9 days ago',
        settings: { shared_runners_enabled: false },
        files: { 'README.md': '# Shop\n', '.gitlab-ci.yml': ci },
        commits: [
          { branch: 'side', message: 'Side', files: { 'side.txt': 'side\n' }, author: anna },
          { branch: 'squashed', message: 'First half', files: { 'half.txt': 'one\n' }, author: anna },
          { branch: 'squashed', message: 'Second half', files: { 'half.txt': 'one\ntwo\n' }, author: anna },
          { message: 'More', files: { 'more.txt': 'more\n' }, id: 'more' },
          { merge: 'Half', id: 'half' },
          { message: 'After the merge', files: { 'after.txt': 'after\n' } },
        ],
        tags: [{ name: 'v0', ref: 'more', message: 'Zero' }],
        issues: [
          { title: 'Open', author: ben, labels: ['bug'], assignees: [anna], milestone: 'May', weight: 3 },
          { title: 'Closed', state: 'closed', notes: [{ author: ben, text: 'Done.' }] },
        ],
        merge_requests: [
          {
            title: 'Half',
            source: 'squashed',
            author: anna,
            state: 'merged',
            squash: true,
            remove_source_branch: true,
            discussions: [
              {
                author: ben,
                text: 'Why?',
                file: 'half.txt',
                line: 2,
                resolved_by: anna,
                replies: [{ author: anna, text: 'Because.' }],
              },
            ],
          },
          { title: 'Side', source: 'side', author: anna, approvals: ['root'] },
        ],
        pipelines: [
          { ref: 'main', commit: 'more', jobs: { unit: { status: 'failed', log: 'It broke.' } } },
          { ref: 'main' },
        ],
        environments: [{ name: 'staging' }],
        deployments: [{ environment: 'staging', ref: 'main' }],
        releases: [
          { tag: 'v1', ref: 'more', description: 'One', links: [{ name: 'A', url: 'https://a.example' }] },
        ],
        variables: [{ key: 'KEY', value: 'value' }],
        wiki: [{ title: 'home', content: 'Welcome' }],
        stars: [ben],
      },
    ],
  })
}

/** The content of an applied world, without ids and times. It is the same for every world of `worldText`. */
export async function contentsOf(at: Target, name: string): Promise<unknown> {
  const get = async (path: string) => (await ask(at, 'GET', path)).body
  const shop = `/projects/${encodeURIComponent(`${name}/shop`)}`
  const inShop = (path: string) => get(`${shop}${path}${path.includes('?') ? '&' : '?'}per_page=100`)
  const project = await get(shop)
  if (project?.id === undefined) return undefined
  const commits = await inShop('/repository/commits?all=true')
  const titles = new Map<string, string>(
    commits.map((commit: { id: string; title: string }) => [commit.id, commit.title]),
  )
  const issues = await inShop('/issues?state=all&order_by=title&sort=asc')
  const requests = await inShop('/merge_requests?state=all&order_by=title&sort=asc')
  const pipelines = await inShop('/pipelines?sort=asc')
  const contents = {
    builds: project.builds_access_level,
    stars: project.star_count,
    members: (await get(`/groups/${name}/members`))
      .map((member: { access_level: number }) => member.access_level)
      .sort(),
    milestones: (await get(`/groups/${name}/milestones`)).map(
      (milestone: { state: string }) => milestone.state,
    ),
    history: commits
      .map((commit: { title: string; parent_ids: string[] }) => [
        commit.title,
        ...commit.parent_ids.map((id) => titles.get(id)),
      ])
      .sort(),
    branches: (await inShop('/repository/branches')).map((branch: { name: string }) => branch.name),
    tags: (await inShop('/repository/tags')).map((tag: { name: string }) => tag.name).sort(),
    issues: await Promise.all(
      issues.map(async (issue: Record<string, unknown>) => ({
        title: issue['title'],
        state: issue['state'],
        labels: issue['labels'],
        assignees: (issue['assignees'] as unknown[]).length,
        milestone: (issue['milestone'] as { title: string } | null)?.title,
        weight: issue['weight'],
        notes: (await inShop(`/issues/${String(issue['iid'])}/notes?activity_filter=only_comments`)).length,
      })),
    ),
    requests: await Promise.all(
      requests.map(async (request: Record<string, unknown>) => {
        const path = `/merge_requests/${String(request['iid'])}`
        const threads = (await inShop(`${path}/discussions`)) as { notes: Record<string, unknown>[] }[]
        const { approved_by } = await get(`${shop}${path}/approvals`)
        return {
          title: request['title'],
          state: request['state'],
          approvals: approved_by.length,
          threads: threads
            .filter(({ notes: [first] }) => first!['system'] === false)
            .map(({ notes }) => [...notes.map((note) => note['body']), notes[0]!['resolved']]),
        }
      }),
    ),
    pipelines: await Promise.all(
      pipelines.map(async (pipeline: { id: number; sha: string; status: string }) => {
        const jobs = await inShop(`/pipelines/${pipeline.id}/jobs`)
        return [
          titles.get(pipeline.sha),
          pipeline.status,
          ...jobs.map((job: { name: string; status: string }) => `${job.name} ${job.status}`).sort(),
        ]
      }),
    ),
    deployments: (await inShop('/deployments')).map((deployment: { status: string }) => deployment.status),
    releases: (await inShop('/releases')).map(
      (release: { assets: { links: unknown[] } }) => release.assets.links.length,
    ),
    variables: (await inShop('/variables')).length,
    wiki: (await inShop('/wikis')).map((page: { slug: string }) => page.slug),
  }
  return JSON.parse(JSON.stringify(contents).replaceAll(name, 'NAME')) as unknown
}

/** The content of every applied world of `worldText`. */
export const CONTENTS = {
  builds: 'enabled',
  stars: 1,
  members: [20, 50, 50],
  milestones: ['closed'],
  history: [
    ['After the merge', "Merge branch 'squashed' into 'main'"],
    ['Half', 'Initial commit'],
    ['Initial commit'],
    ["Merge branch 'squashed' into 'main'", 'More', 'Half'],
    ['More', 'Initial commit'],
    ['Side', 'Initial commit'],
  ],
  branches: ['main', 'side'],
  tags: ['v0', 'v1'],
  issues: [
    { title: 'Closed', state: 'closed', labels: [], assignees: 0, weight: null, notes: 1 },
    { title: 'Open', state: 'opened', labels: ['bug'], assignees: 1, milestone: 'May', weight: 3, notes: 0 },
  ],
  requests: [
    { title: 'Half', state: 'merged', approvals: 0, threads: [['Why?', 'Because.', true]] },
    { title: 'Side', state: 'opened', approvals: 1, threads: [] },
  ],
  pipelines: [
    ['More', 'failed', 'build success', 'unit failed'],
    ['After the merge', 'success', 'build success', 'unit success'],
  ],
  deployments: ['success'],
  releases: [1],
  variables: 1,
  wiki: ['home'],
}

export interface Outcome {
  readonly counts: readonly { readonly kind: string; readonly made: number; readonly kept: number }[]
}

/** Applies a world; undefined if the instance refuses it, which is recorded as a complaint. */
export async function applyWorld(at: Target, text: string): Promise<Outcome | undefined> {
  const yaml = { 'content-type': 'application/yaml' }
  const bytes = new Uint8Array(Buffer.from(text))
  const { status, bytes: refusal, body } = await ask(at, 'POST', '/-/workbench/worlds', bytes, yaml)
  if (status === 201) return body as Outcome
  at.complain(`A world was refused: ${status} ${refusal.toString()}`)
  return undefined
}

/** Applies an interrupted world again, and once more, which must create nothing. */
async function applyAgain(at: Target, name: string): Promise<string | undefined> {
  if (!(await applyWorld(at, worldText(name)))) return undefined
  const again = await applyWorld(at, worldText(name))
  const made = (again?.counts ?? []).filter((entry) => entry.made > 0)
  if (made.length > 0) at.complain(`The world ${name} was applied twice, and made ${JSON.stringify(made)}`)
  return name
}

export const worlds = kind(
  'worlds',
  async (at, name) => ((await applyWorld(at, worldText(name))) ? name : undefined),
  async (at, name) => JSON.stringify(await contentsOf(at, name)) === JSON.stringify(CONTENTS),
  applyAgain,
)
