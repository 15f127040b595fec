import { GitPullRequest } from '@lucide/vue'
import { WORDS, type IssuableKind } from '../../../components/issuable/useIssuableList.ts'
import { t } from '../../../locales/t.ts'

type Endpoint = 'GET /merge_requests' | 'GET /projects/:id/merge_requests' | 'GET /groups/:id/merge_requests'

/** What a list of merge requests offers. */
export const MERGE_REQUESTS: IssuableKind<Endpoint> = {
  name: 'merge_request',
  icon: GitPullRequest,
  texts: {
    title: t('common.merge_requests'),
    label: t('common.merge_requests_2'),
    make: t('filter.new_merge_request'),
    noMatch: t('filter.no_matching_merge_requests'),
    all: t('filter.show_all_merge_requests'),
    noneYet: t('merge_requests.no_merge_requests_yet'),
    noneFound: t('filter.no_merge_requests'),
    noneOpen: t('filter.no_open_merge_requests'),
    about: t('merge_requests.propose_changes_from_a_branch_discuss'),
  },
  endpoints: {
    project: 'GET /projects/:id/merge_requests',
    group: 'GET /groups/:id/merge_requests',
    all: 'GET /merge_requests',
  },
  states: [
    { value: 'opened', label: t('merge_requests.open') },
    { value: 'merged', label: t('merge_requests.merged') },
    { value: 'closed', label: t('merge_requests.closed') },
    { value: 'all', label: t('common.all') },
  ],
  scopes: [
    { value: 'reviews_for_me', label: t('merge_requests.review_requests') },
    { value: 'assigned_to_me', label: t('issuable.assigned_to_you') },
    { value: 'created_by_me', label: t('issuable.created_by_you') },
    { value: 'all', label: t('common.all') },
  ],
  orders: [
    { value: 'created_at', label: t('common.newest') },
    { value: 'updated_at', label: t('issuable.last_updated') },
    { value: 'merged_at', label: t('merge_requests.recently_merged') },
    { value: 'milestone_due', label: t('issuable.milestone_due_date') },
    { value: 'label_priority', label: t('issuable.label_priority') },
    { value: 'popularity', label: t('issuable.popularity') },
    { value: 'title', label: t('common.title') },
  ],
  upwards: ['milestone_due', 'title', 'label_priority'],
  filters: [
    { key: 'author', label: t('common.author'), kind: 'people' },
    { key: 'assignee', label: t('common.assignee'), kind: 'people', words: WORDS },
    { key: 'reviewer', label: t('merge_requests.reviewer'), kind: 'people', words: WORDS },
    { key: 'labels', label: t('common.labels'), kind: 'labels', multiple: true, words: WORDS },
    { key: 'without', label: t('issuable.not_label'), kind: 'labels', multiple: true },
    { key: 'milestone', label: t('common.milestone'), kind: 'milestone', words: WORDS },
    {
      key: 'draft',
      label: t('merge_requests.draft'),
      kind: 'choice',
      options: [
        { value: 'yes', label: t('issuable.yes') },
        { value: 'no', label: t('issuable.no') },
      ],
    },
    { key: 'approved', label: t('merge_requests.approved_by'), kind: 'people', words: WORDS },
    { key: 'target', label: t('merge_requests.target'), kind: 'branch' },
    { key: 'source', label: t('merge_requests.source'), kind: 'branch' },
  ],
  own: ({ reviewer, draft, approved, target, source }) => ({
    reviewer_username: reviewer || undefined,
    draft: draft ? draft === 'yes' : undefined,
    approved_by_usernames: approved ? [approved] : undefined,
    target_branch: target || undefined,
    source_branch: source || undefined,
  }),
}
