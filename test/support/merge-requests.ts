import type { Answer, TestUser, World } from './world.ts'

/** A project with a first commit on `main`, or the part of it that a test has. */
interface SomeProject {
  readonly id: number
  readonly default_branch?: string | null
}

/** Options of the merge request, all with defaults. */
export interface RequestOptions {
  /** The user who pushes the branch and opens the merge request; root by default. */
  readonly author?: TestUser
  /** The branch; by default a new name. */
  readonly source_branch?: string
  readonly target_branch?: string
  /** Path to content of the one commit; by default `<branch>.txt`. */
  readonly files?: Readonly<Record<string, string>>
  readonly message?: string
  /** The project that the branch is pushed to: the target project or a fork. */
  readonly source?: SomeProject
  /** Whether to wait for its first version; true by default. */
  readonly drain?: boolean
  /** Further parameters of the request. */
  readonly [parameter: string]: unknown
}

let branches = 0

/** Commits files to a branch by the API. A missing branch is created from the default branch. */
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

/** Pushes a branch with one commit and opens a merge request for it. Returns the body of a later GET. */
export async function openMergeRequest(
  world: World,
  project: SomeProject,
  options: RequestOptions = {},
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const { author = world.root, files, message, source = project, drain = true, ...params } = options
  const branch = options.source_branch ?? `branch-${++branches}`
  const target = options.target_branch ?? project.default_branch ?? 'main'
  const content = files ?? { [`${branch.replaceAll('/', '-')}.txt`]: `${branch}\n` }
  await pushTo(world, source, branch, content, { author, ...(message ? { message } : {}) })
  const client = world.as(author)
  const made = await client.post(`/projects/${source.id}/merge_requests`, {
    title: `Merge ${branch}`,
    ...params,
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
