import { api } from '../../api/client.ts'
import { HISTORY, MERGED, OPEN, PEOPLE, type Commit } from '../content/history.ts'
import { RELEASE } from '../content/planning.ts'
import type { Demo } from '../demo.ts'

const titleOf = ({ message }: Commit) => message.split('\n')[0]!

const commit = async ({ project: { id } }: Demo, branch: string, one: Commit, start_branch?: string) => {
  const { name, email } = PEOPLE[one.by]
  await api('POST /projects/:id/repository/commits', {
    id,
    branch,
    start_branch,
    commit_message: one.message,
    author_name: name,
    author_email: email,
    actions: one.actions,
  })
}

/** The commits of the main branch that are not there yet. */
export const makeHistory = async (demo: Demo) => {
  const { id } = demo.project
  const branches = await api('GET /projects/:id/repository/branches', { id, per_page: 100 })
  const known =
    branches.length === 0
      ? []
      : await api('GET /projects/:id/repository/commits', { id, ref_name: 'main', per_page: 100 })
  for (const one of HISTORY)
    if (!known.some(({ title }) => title === titleOf(one))) await commit(demo, 'main', one)
}

/** The branches of the two merge requests. */
export const makeBranches = async (demo: Demo) => {
  const { id } = demo.project
  const requests = await api('GET /projects/:id/merge_requests', { id, state: 'all', per_page: 100 })
  const branches = await api('GET /projects/:id/repository/branches', { id, per_page: 100 })
  for (const { branch, commit: one } of [MERGED, OPEN]) {
    const isThere = branches.some(({ name }) => name === branch)
    if (!isThere && !requests.some((request) => request.source_branch === branch))
      await commit(demo, branch, one, 'main')
  }
}

export const makeRelease = async ({ project }: Demo) => {
  const { id } = project
  const known = await api('GET /projects/:id/releases', { id, per_page: 100 })
  if (known.some((one) => one.tag_name === RELEASE.tag_name)) return
  const history = await api('GET /projects/:id/repository/commits', { id, ref_name: 'main', per_page: 100 })
  const of = history.find((one) => one.title === titleOf(HISTORY.at(-1)!))
  await api('POST /projects/:id/releases', {
    id,
    ...RELEASE,
    ref: of?.id ?? 'main',
    assets: {
      links: [
        {
          name: 'Program and table',
          url: `${project.web_url}/-/jobs/artifacts/main/download?job=package`,
          link_type: 'package',
        },
        { name: 'About the tables', url: `${project.web_url}/-/wikis/home`, link_type: 'runbook' },
      ],
    },
  })
}
