import { shell } from '../../../support/git.ts'
import { bareRepository, type StubHost } from './stub-host.ts'

const DAY = 86_400_000
/** Times in the format of Bitbucket Server. */
export const at = (day: number): number => Date.UTC(2024, 0, 1) + day * DAY

const numbered = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 20 }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join('')

export interface Commits {
  readonly first: string
  readonly feature: string
  readonly merged: string
  readonly merge: string
  readonly lost: string
}

/** Creates `TIDE/watch` with its pull requests as refs. */
export function demoCode(host: StubHost): Commits {
  const path = bareRepository(host, 'scm/tide/watch.git')
  const git = (args: readonly string[], input?: string): string => shell(path, args, input)
  const commit = (message: string, parents: readonly string[], text: string): string => {
    const blob = git(['hash-object', '-w', '--stdin'], text)
    const tree = git(['mktree'], `100644 blob ${blob}\tapp.txt\n`)
    const who = ['-c', 'user.name=Tess', '-c', 'user.email=tess@example.com']
    return git([...who, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message])
  }
  const first = commit('First', [], numbered())
  const feature = commit('Feature', [first], numbered({ 3: 'line three' }))
  const merged = commit('To be merged', [first], numbered({ 18: 'line eighteen' }))
  const merge = commit('Merge', [first, merged], numbered({ 18: 'line eighteen' }))
  const lost = commit('Nothing leads here', [first], numbered({ 7: 'line seven' }))
  const refs = {
    'refs/heads/trunk': merge,
    'refs/heads/feature': feature,
    'refs/tags/v1': first,
    'refs/pull-requests/1/from': feature,
    'refs/pull-requests/1/to': first,
    'refs/pull-requests/2/from': merged,
    'refs/pull-requests/2/to': first,
  }
  for (const [ref, id] of Object.entries(refs)) git(['update-ref', ref, id])
  return { first, feature, merged, merge, lost }
}

const user = (slug: string, emailAddress = `${slug}@example.test`) => ({
  name: slug,
  slug,
  displayName: `${slug} at the sea`,
  emailAddress,
})

const comment = (id: number, by: string, text: string, comments: unknown[] = []) => ({
  id,
  version: 0,
  text,
  author: user(by),
  createdDate: at(20 + (id % 100) / 100),
  updatedDate: at(20 + (id % 100) / 100),
  comments,
})

const side = (branch: string, latestCommit: string) => ({
  id: `refs/heads/${branch}`,
  displayId: branch,
  latestCommit,
  repository: { slug: 'watch', project: { key: 'TIDE' } },
})

/** The responses of the stub host about the repository. */
export function demoResponses(host: StubHost, commits: Commits): void {
  const base = '/projects/TIDE/repos/watch'
  const clone = [
    { name: 'ssh', href: 'ssh://git@example.com/tide/watch.git' },
    { name: 'http', href: `${host.url}/scm/tide/watch.git` },
  ]
  const self = [{ href: `${host.url}/projects/TIDE/repos/watch/browse` }]
  const repository = {
    id: 1,
    slug: 'watch',
    name: 'watch',
    description: 'Knows the tides',
    public: false,
    project: { key: 'TIDE', name: 'Tides' },
    links: { clone, self },
  }
  const request = (id: number, state: string, from: unknown, more: object = {}) => ({
    id,
    version: 1,
    title: `Request ${id}`,
    description: `What request ${id} is about`,
    state,
    open: state === 'OPEN',
    closed: state !== 'OPEN',
    createdDate: at(id),
    updatedDate: at(id + 10),
    ...(state === 'OPEN' ? {} : { closedDate: at(id + 10) }),
    fromRef: from,
    toRef: side('trunk', commits.first),
    author: { user: user('stranger') },
    reviewers: [],
    ...more,
  })
  const anchor = (line: number, lineType: string, fileType: string) => ({
    path: 'app.txt',
    srcPath: 'app.txt',
    line,
    lineType,
    fileType,
    fromHash: commits.first,
    toHash: commits.feature,
  })
  const commented = (id: number, of: unknown, commentAnchor?: unknown) => ({
    id,
    createdDate: at(20),
    user: user('tess'),
    action: 'COMMENTED',
    commentAction: 'ADDED',
    comment: of,
    ...(commentAnchor ? { commentAnchor } : {}),
  })
  Object.assign(host.responses, {
    '/repos': [repository, { ...repository, slug: 'other', name: 'other' }, { slug: 'odd' }],
    [base]: repository,
    [`${base}/branches/default`]: side('trunk', commits.merge),
    [`${base}/pull-requests`]: [
      request(1, 'OPEN', side('feature', commits.feature), {
        author: { user: user('alice') },
        reviewers: [{ user: user('alice') }, { user: user('stranger') }],
      }),
      request(2, 'MERGED', side('gone', commits.merged)),
      request(3, 'DECLINED', side('lost', commits.lost)),
      request(4, 'OPEN', side('bad..name', commits.feature)),
    ],
    [`${base}/pull-requests/1/activities`]: [
      { id: 99, action: 'APPROVED', user: user('alice'), createdDate: at(30) },
      commented(16, comment(106, 'stranger', 'About a file'), { path: 'app.txt', srcPath: 'app.txt' }),
      commented(15, comment(105, 'stranger', 'Far away'), {
        ...anchor(400, 'CONTEXT', 'TO'),
        path: 'gone.txt',
        srcPath: 'gone.txt',
      }),
      commented(14, comment(104, 'alice', 'As before'), anchor(5, 'CONTEXT', 'FROM')),
      commented(13, comment(103, 'alice', 'Was better'), anchor(3, 'REMOVED', 'FROM')),
      commented(
        12,
        comment(102, 'alice', 'Is it?', [
          comment(107, 'stranger', 'It is', [comment(108, 'alice', `${'Then so be it. '.repeat(8)}`)]),
          comment(109, 'stranger', 'Done'),
        ]),
        anchor(3, 'ADDED', 'TO'),
      ),
      commented(11, comment(101, 'stranger', 'Hello')),
    ],
    [`${base}/pull-requests/2/activities`]: [
      {
        id: 21,
        action: 'MERGED',
        user: user('tess'),
        createdDate: at(12),
        commit: { id: commits.merge, committer: user('alice'), committerTimestamp: at(12) },
      },
    ],
    [`${base}/pull-requests/3/activities`]: [],
  })
}
