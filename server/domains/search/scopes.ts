/** What can be searched in the whole instance (spec administration 13). */
export const INSTANCE_SCOPES = [
  'projects',
  'issues',
  'merge_requests',
  'milestones',
  'snippet_titles',
  'users',
] as const

/** What can be searched in a group. */
export const GROUP_SCOPES = ['projects', 'issues', 'merge_requests', 'milestones', 'users'] as const

/** What can be searched in a project. */
export const PROJECT_SCOPES = [
  'issues',
  'merge_requests',
  'milestones',
  'notes',
  'users',
  'wiki_blobs',
  'commits',
  'blobs',
] as const

/** Scopes of code, which a search over many projects does not offer. */
export const CODE_SCOPES = ['blobs', 'commits', 'wiki_blobs', 'notes'] as const

export type SearchScope =
  | (typeof INSTANCE_SCOPES)[number]
  | (typeof GROUP_SCOPES)[number]
  | (typeof PROJECT_SCOPES)[number]
