import type { Selectable } from 'kysely'

import type { MergeRequestsTable } from '../../db/schema.gen.ts'
import type { PipelineView } from '../ci/pipelines/entity.ts'
import type { LabelRow, MilestoneRow } from '../planning/index.ts'
import type { UserBasicRow } from '../users/index.ts'
import type { DiffVersionRow } from './diffs/store.ts'

/** A merge request with all that its answers show; `view.ts` loads many at once. */
export interface MergeRequestView {
  readonly request: MergeRequestRow
  /** Full path of the project that is merged into. */
  readonly path: string
  /** Full path of the project or group whose list it is in; undefined for the whole instance. */
  readonly relativeTo: string | undefined
  readonly author: UserBasicRow
  readonly assignees: readonly UserBasicRow[]
  readonly reviewers: readonly UserBasicRow[]
  readonly merge_user: UserBasicRow | undefined
  readonly closed_by: UserBasicRow | undefined
  readonly labels: readonly LabelRow[]
  /** Whether labels are shown with colour and description instead of as titles. */
  readonly labelDetails: boolean
  readonly milestone: MilestoneRow | undefined
  readonly detailed_merge_status: string
  readonly blocking_discussions_resolved: boolean
  readonly approvals_before_merge: number | null
  /** Texts as HTML, where asked for. */
  readonly html: { readonly title_html: string; readonly description_html: string } | undefined
}

/** What a single answer shows beyond that. */
export interface MergeRequestSingleView extends MergeRequestView {
  readonly subscribed: boolean
  /** The newest version; undefined until the first was made. */
  readonly diff: DiffVersionRow | undefined
  readonly first_deployed_to_production_at: string | null
  /** The pipeline of the head; null without one, undefined for whoever may not see pipelines. */
  readonly head_pipeline: PipelineView | null | undefined
  /** Whether the actor may merge into the target branch. */
  readonly can_merge: boolean
  /** Undefined where not asked for. */
  readonly diverged_commits_count: number | undefined
  readonly rebase_in_progress: boolean | undefined
  readonly first_contribution: boolean | undefined
}

/** Somebody who is asked to review. */
export interface ReviewerView {
  readonly user: UserBasicRow
  readonly state: string
  readonly created_at: string
}

/** A merge request as stored. `project_id` is the project that is merged into. */
export type MergeRequestRow = Selectable<MergeRequestsTable>
