import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import { Issue, issueFields, issueJson } from '../entity.ts'
import type { IssueView } from '../view.ts'

const type = z.enum(['relates_to', 'blocks', 'is_blocked_by'])

/** A linked issue, with the link. */
export interface LinkedIssueView {
  readonly view: IssueView
  readonly link: { readonly id: number; readonly created_at: string; readonly updated_at: string }
  readonly type: 'relates_to' | 'blocks' | 'is_blocked_by'
}

/** A linked issue in the list of another one (spec core 6.3). */
export const LinkedIssue = entity(
  'LinkedIssue',
  {
    ...issueFields,
    issue_link_id: z.int(),
    link_type: type,
    link_created_at: time(),
    link_updated_at: time(),
  },
  ({ view, link, type: joined }: LinkedIssueView, at) => ({
    ...issueJson(view, at),
    issue_link_id: link.id,
    link_type: joined,
    link_created_at: link.created_at,
    link_updated_at: link.updated_at,
  }),
)

/** The two issues of a link. */
export interface IssueLinkView {
  readonly source: IssueView
  readonly target: IssueView
  readonly type: 'relates_to' | 'blocks' | 'is_blocked_by'
}

/** A link between two issues (spec core 6.3). */
export const IssueLink = entity(
  'IssueLink',
  { source_issue: Issue.schema, target_issue: Issue.schema, link_type: type },
  ({ source, target, type: joined }: IssueLinkView, at) => ({
    source_issue: issueJson(source, at),
    target_issue: issueJson(target, at),
    link_type: joined,
  }),
)
