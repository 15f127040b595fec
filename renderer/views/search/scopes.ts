import { t } from '../../locales/t.ts'
const PLANNED = [
  { value: 'merge_requests', label: t('common.merge_requests') },
  { value: 'issues', label: t('common.issues') },
  { value: 'milestones', label: t('common.milestones') },
] as const

/** The search scopes by context. */
export const SCOPES = {
  instance: [
    { value: 'projects', label: t('common.projects') },
    ...PLANNED,
    { value: 'blobs', label: t('common.code') },
    { value: 'users', label: t('common.people') },
    { value: 'snippet_titles', label: t('common.snippets') },
  ],
  group: [
    { value: 'projects', label: t('common.projects') },
    ...PLANNED,
    { value: 'blobs', label: t('common.code') },
    { value: 'users', label: t('common.people') },
  ],
  project: [
    { value: 'blobs', label: t('common.code') },
    { value: 'commits', label: t('common.commits') },
    { value: 'wiki_blobs', label: t('common.wiki') },
    ...PLANNED,
    { value: 'notes', label: t('common.comments') },
    { value: 'users', label: t('common.people') },
  ],
} as const

export type SearchLevel = keyof typeof SCOPES
export type SearchScope = (typeof SCOPES)[SearchLevel][number]['value']

/** The endpoints for the instance, a group and a project. */
export const AT = {
  instance: 'GET /search',
  group: 'GET /groups/:id/search',
  project: 'GET /projects/:id/search',
} as const
