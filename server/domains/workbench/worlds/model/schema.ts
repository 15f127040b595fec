import { z } from 'zod'

// The schema of worlds. Editors use it as JSON Schema, so its descriptions explain the keys that are not obvious.

const name = z.string().min(1).max(255)
const longText = z.string().max(1_000_000)
const username = name.describe('A username of this world or of the instance')
const visibility = z.enum(['private', 'internal', 'public']).describe('Visibility level')
export const ACCESS = ['minimal', 'guest', 'reporter', 'developer', 'maintainer', 'owner'] as const
const access = z.enum(ACCESS)
const TIME =
  /^(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,6} (?:second|minute|hour|day|week|month|year)s? ago)$/
const timeSchema = z
  .string()
  .regex(TIME, { error: 'is not a time; write 2026-03-01, 2026-03-01T09:30:00Z or "3 days ago"' })
  .describe('2026-03-01, 2026-03-01T09:30:00Z or "3 days ago"')
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: 'is not a date; write 2026-03-01' })
const repeat = z
  .int()
  .min(1)
  .max(10_000)
  .optional()
  .describe(
    'Repeats the entry this many times; {n} is the number, {n:3} with leading zeros, {n|a,b,c} one of a list',
  )

/** The maximum IID, so that the numbers after it are exact, too. */
const MAX_IID = 2 ** 31 - 1

/** An entry of a list. */
function item<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ ...shape, repeat })
}

const iid = z
  .int()
  .min(1)
  .max(MAX_IID)
  .describe(
    'The number in the project. Without it the title identifies the entry, and its number is the next one after all in the list',
  )

const members = z.record(username, access).describe('Access levels by username')

const label = item({
  name,
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, { error: 'is not a color; write "#1f75cb" in quotes' })
    .optional(),
  description: longText.optional(),
})

const milestone = item({
  title: name,
  description: longText.optional(),
  start_date: day.optional(),
  due_date: day.optional(),
  state: z.enum(['active', 'closed']).optional(),
  at: timeSchema.optional(),
})

const token = z.strictObject({
  name: name.describe('Name of the token'),
  token: z.string().min(8).max(255).describe('The text of the token; only its hash is stored'),
  scopes: z.array(name).min(1).optional().describe('Default: api'),
})

const user = item({
  username: name,
  name: name.optional(),
  email: name.optional().describe('Default: username@example.com'),
  password: z.string().min(8).optional().describe('Without it the user signs in with tokens only'),
  admin: z.boolean().optional(),
  state: z.enum(['active', 'blocked']).optional(),
  bio: longText.optional(),
  location: name.optional(),
  organization: name.optional(),
  job_title: name.optional(),
  at: timeSchema.optional(),
  tokens: z.array(token).optional(),
})

const variable = z.strictObject({
  key: name,
  value: longText,
  protected: z.boolean().optional(),
  masked: z.boolean().optional(),
  environment_scope: name.optional(),
})

const hook = z.strictObject({
  url: name,
  events: z
    .array(z.enum(['push', 'tag_push', 'issues', 'merge_requests', 'note', 'pipeline', 'job', 'releases']))
    .optional()
    .describe('Default: push'),
  token: name.optional(),
  enable_ssl_verification: z.boolean().optional(),
})

const group = item({
  path: name.describe('Full path, such as acme/web'),
  name: name.optional(),
  description: longText.optional(),
  visibility: visibility.optional(),
  at: timeSchema.optional(),
  members: members.optional(),
  labels: z.array(label).optional(),
  milestones: z.array(milestone).optional(),
  variables: z.array(variable).optional(),
})

const file = z.union([
  z.string(),
  z.null(),
  z.strictObject({
    content: z.string().optional(),
    base64: z.base64().optional(),
    executable: z.boolean().optional(),
  }),
])
const files = z.record(name, file).describe('Content by path; null deletes a file')

const commit = item({
  id: name.optional().describe('A name for this commit, for parents, tags and pipelines'),
  branch: name.optional().describe('Default: the default branch'),
  from: name.optional().describe('The start of a new branch: a branch or the id of a commit'),
  parents: z.array(name).optional().describe('Ids of commits, for a merge'),
  message: longText.optional(),
  author: name.optional().describe('A username, or "Name <address>"'),
  at: timeSchema.optional(),
  files: files.optional(),
  merge: z
    .union([name, iid])
    .optional()
    .describe('The title or iid of a merge request that is merged at this point of the history'),
})

const note = z.strictObject({ author: username, text: longText, at: timeSchema.optional() })
const notes = z.array(note).optional().describe('Single comments; discussions are threads')

const threadShape = {
  author: username,
  text: longText,
  at: timeSchema.optional(),
  resolved_by: username.optional(),
  resolved_at: timeSchema.optional(),
  replies: z.array(note).optional(),
} as const

const issue = item({
  iid: iid.optional(),
  title: name,
  description: longText.optional(),
  author: username.optional(),
  at: timeSchema.optional(),
  state: z.enum(['opened', 'closed']).optional(),
  closed_at: timeSchema.optional(),
  closed_by: username.optional(),
  assignees: z.array(username).optional(),
  labels: z.array(name).optional(),
  milestone: name.optional(),
  weight: z.int().min(0).optional(),
  due_date: day.optional(),
  confidential: z.boolean().optional(),
  notes,
  discussions: z.array(z.strictObject(threadShape)).optional(),
})

const discussion = z.strictObject({
  ...threadShape,
  file: name.optional().describe('Path of a changed file'),
  line: z.int().min(1).optional().describe('Line of the new version'),
  old_line: z.int().min(1).optional().describe('Line of the old version'),
})

const mergeRequest = item({
  iid: iid.optional(),
  title: name,
  description: longText.optional(),
  author: username.optional(),
  source: name.describe('Source branch'),
  target: name.optional().describe('Target branch; default: the default branch'),
  at: timeSchema.optional(),
  state: z.enum(['opened', 'closed', 'merged']).optional(),
  merged_at: timeSchema.optional(),
  merged_by: username.optional(),
  merge_message: longText.optional(),
  closed_at: timeSchema.optional(),
  closed_by: username.optional(),
  assignees: z.array(username).optional(),
  reviewers: z.array(username).optional(),
  labels: z.array(name).optional(),
  milestone: name.optional(),
  squash: z.boolean().optional(),
  remove_source_branch: z.boolean().optional(),
  approvals: z.array(username).optional(),
  notes,
  discussions: z.array(discussion).optional(),
})

const job = z.strictObject({
  status: z.enum(['success', 'failed', 'running', 'pending', 'manual', 'canceled']).optional(),
  log: longText.optional(),
  seconds: z.int().min(0).max(86_400).optional().describe('How long it ran'),
  exit_code: z.int().optional(),
})

const pipeline = item({
  ref: name.describe('A branch or tag'),
  commit: name.optional().describe('Id of a commit of this world; default: the tip of the ref'),
  source: z.enum(['push', 'web', 'api', 'schedule']).optional(),
  author: username.optional(),
  at: timeSchema.optional(),
  jobs: z.record(name, job).optional().describe('Results by job name; other jobs succeed'),
})

const environment = z.strictObject({
  name,
  external_url: name.optional(),
  tier: z.enum(['production', 'staging', 'testing', 'development', 'other']).optional(),
})

const deployment = z.strictObject({
  environment: name,
  ref: name,
  author: username.optional(),
  at: timeSchema.optional(),
  status: z.enum(['created', 'running', 'success', 'failed', 'canceled']).optional(),
})

const release = item({
  tag: name,
  ref: name.optional().describe('The target of the tag if it does not exist'),
  name: name.optional(),
  description: longText.optional(),
  author: username.optional(),
  at: timeSchema.optional(),
  milestones: z.array(name).optional(),
  links: z.array(z.strictObject({ name, url: name })).optional(),
})

const runner = z.strictObject({
  description: name,
  tags: z.array(name).optional(),
  run_untagged: z.boolean().optional(),
  locked: z.boolean().optional(),
  paused: z.boolean().optional(),
})

const branch = z.strictObject({ name, ref: name.optional(), at: timeSchema.optional() })
const tag = z.strictObject({
  name,
  ref: name.optional(),
  message: longText.optional(),
  author: username.optional(),
  at: timeSchema.optional(),
})
const wikiPage = z.strictObject({
  title: name,
  content: longText,
  author: username.optional(),
  at: timeSchema.optional(),
})

const project = item({
  path: name.describe('Full path, such as acme/web/shop, or a username and a path'),
  name: name.optional(),
  description: longText.optional(),
  visibility: visibility.optional(),
  creator: username.optional(),
  at: timeSchema.optional(),
  default_branch: name.optional(),
  topics: z.array(name).optional(),
  archived: z.boolean().optional(),
  settings: z.record(name, z.json()).optional().describe('Parameters of PUT /projects/:id'),
  members: members.optional(),
  labels: z.array(label).optional(),
  milestones: z.array(milestone).optional(),
  git: name.optional().describe('The address of a git repository to import'),
  folder: name
    .optional()
    .describe(
      'A folder of this computer that the command line reads: a git repository, or files. Relative to the file of the world',
    ),
  files: files.optional().describe('Content of the first commit'),
  commits: z.array(commit).optional(),
  branches: z.array(branch).optional(),
  tags: z.array(tag).optional(),
  issues: z.array(issue).optional(),
  merge_requests: z.array(mergeRequest).optional(),
  runners: z.array(runner).optional(),
  pipelines: z.array(pipeline).optional(),
  environments: z.array(environment).optional(),
  deployments: z.array(deployment).optional(),
  releases: z.array(release).optional(),
  hooks: z.array(hook).optional(),
  variables: z.array(variable).optional(),
  wiki: z.array(wikiPage).optional(),
  stars: z.array(username).optional(),
})

export const worldSchema = z.strictObject({
  title: name.optional().describe('A description of the world in one line'),
  description: longText.optional(),
  settings: z.record(name, z.json()).optional().describe('Parameters of PUT /application/settings'),
  users: z.array(user).optional(),
  groups: z.array(group).optional(),
  runners: z.array(runner).optional().describe('Runners of the instance'),
  projects: z.array(project).optional(),
})

export type World = z.infer<typeof worldSchema>
export type WorldUser = z.infer<typeof user>
export type WorldGroup = z.infer<typeof group>
export type WorldProject = z.infer<typeof project>
export type WorldCommit = z.infer<typeof commit>
export type WorldIssue = z.infer<typeof issue>
export type WorldMergeRequest = z.infer<typeof mergeRequest>
export type WorldNote = z.infer<typeof note>
export type WorldDiscussion = z.infer<typeof discussion>
export type WorldPipeline = z.infer<typeof pipeline>
export type WorldJob = z.infer<typeof job>
export type WorldRunner = z.infer<typeof runner>
export type WorldLabel = z.infer<typeof label>
export type WorldMilestone = z.infer<typeof milestone>
export type WorldFile = z.infer<typeof file>

/** The JSON Schema of worlds, for editors. */
export function worldJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(worldSchema, { target: 'draft-7', reused: 'ref' })
  return { ...schema, title: 'A world of Deskforge' }
}
