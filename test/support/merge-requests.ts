import type { Answer, TestUser, World } from './world.ts'

/** A project with a first commit on `main`, or what a test has of it. */
interface SomeProject {
  readonly id: number
  readonly default_branch?: string | null
}

/** What the merge request is like; everything has a default. */
export interface RequestOptions {
  /** Who pushes the branch and opens it; root otherwise. */
  readonly author?: TestUser
  /** The branch; a new name otherwise. */
  readonly source_branch?: string
  readonly target_branch?: string
  /** Path to content of the one commit; `<branch>.txt` otherwise. */
  readonly files?: Readonly<Record<string, string>>
  readonly message?: string
  /** Where the branch is pushed to: the project itself, or a fork of it. */
  readonly source?: SomeProject
  /** Whether its first version is waited for; true unless said otherwise. */
  readonly drain?: boolean
  /** Further parameters of the request. */
  readonly [parameter: string]: unknown
}

let branches = 0

/** Commits files to a branch over the API; the branch is made from the default branch when it is not there. */
export async function pushTo(
  world: World,
  project: SomeProject,
  branch: string,
  files: Readonly<Record<string, string>>,
  options: { author?: TestUser; message?: string } = {},
): Promise<string> {
  const { author = world.root, message = `Change ${Object.keys(files).join(', ')}` } = options
  const client = world.as(author)
  const found = await client.get(`/projects/${project.id}/repository/branches/${encodeURIComponent(branch)}`)
  const isNew = found.status === 404
  const from = isNew ? { start_branch: project.default_branch ?? 'main' } : {}
  const actions = []
  for (const [file_path, content] of Object.entries(files)) {
    const ref = encodeURIComponent(isNew ? (project.default_branch ?? 'main') : branch)
    const file = await client.head(
      `/projects/${project.id}/repository/files/${encodeURIComponent(file_path)}?ref=${ref}`,
    )
    actions.push({ action: file.status === 200 ? 'update' : 'create', file_path, content })
  }
  const commit = await client.post(`/projects/${project.id}/repository/commits`, {
    branch,
    ...from,
    commit_message: message,
    actions,
  })
  return expectMade(commit).id as string
}

/** Pushes a branch with one commit and opens a merge request for it; gives the answer's body, read anew. */
export async function openMergeRequest(
  world: World,
  project: SomeProject,
  options: RequestOptions = {},
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const { author = world.root, files, message, source = project, drain = true, ...given } = options
  const branch = options.source_branch ?? `branch-${++branches}`
  const target = options.target_branch ?? project.default_branch ?? 'main'
  const content = files ?? { [`${branch.replaceAll('/', '-')}.txt`]: `${branch}\n` }
  await pushTo(world, source, branch, content, { author, ...(message ? { message } : {}) })
  const client = world.as(author)
  const made = await client.post(`/projects/${source.id}/merge_requests`, {
    title: `Merge ${branch}`,
    ...given,
    source_branch: branch,
    target_branch: target,
    ...(source.id === project.id ? {} : { target_project_id: project.id }),
  })
  const request = expectMade(made)
  if (!drain) return request
  await world.drain()
  return (await client.get(`/projects/${project.id}/merge_requests/${request.iid}`)).body
}

function expectMade(answer: Answer) {
  if (answer.status >= 300)
    throw new Error(`The test could not make what it needs: ${answer.status} ${answer.text}`)
  return answer.body
}
