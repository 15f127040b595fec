const PLANNED = [
  { value: 'merge_requests', label: 'Merge requests' },
  { value: 'issues', label: 'Issues' },
  { value: 'milestones', label: 'Milestones' },
] as const

/** The search scopes by context. */
export const SCOPES = {
  instance: [
    { value: 'projects', label: 'Projects' },
    ...PLANNED,
    { value: 'users', label: 'People' },
    { value: 'snippet_titles', label: 'Snippets' },
  ],
  group: [{ value: 'projects', label: 'Projects' }, ...PLANNED, { value: 'users', label: 'People' }],
  project: [
    { value: 'blobs', label: 'Code' },
    { value: 'commits', label: 'Commits' },
    { value: 'wiki_blobs', label: 'Wiki' },
    ...PLANNED,
    { value: 'notes', label: 'Comments' },
    { value: 'users', label: 'People' },
  ],
} as const

export type SearchPlace = keyof typeof SCOPES
export type SearchScope = (typeof SCOPES)[SearchPlace][number]['value']

/** The endpoints for the instance, a group and a project. */
export const AT = {
  instance: 'GET /search',
  group: 'GET /groups/:id/search',
  project: 'GET /projects/:id/search',
} as const
