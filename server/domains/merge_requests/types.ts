import type { Selectable } from 'kysely'

import type { Paging } from '../../db/rows.ts'
import type { MergeRequestsTable } from '../../db/schema.gen.ts'
import type { PipelineView } from '../ci/pipelines/entity.ts'
import type { LabelRow, MilestoneRow } from '../planning/index.ts'
import type { UserBasicRow } from '../users/index.ts'
import type { DiffVersionRow } from './diffs/store.ts'

/** A merge request with everything that lists show; `showMergeRequests` loads it. */
export interface MergeRequestView {
  readonly request: MergeRequestRow
  /** Full path of the target project. */
  readonly path: string
  /** Full path of the project or group that lists it. Undefined for the whole instance. */
  readonly relativeTo: string | undefined
  readonly author: UserBasicRow
  readonly assignees: readonly UserBasicRow[]
  readonly reviewers: readonly UserBasicRow[]
  readonly merge_user: UserBasicRow | undefined
  readonly closed_by: UserBasicRow | undefined
  readonly labels: readonly LabelRow[]
  /** Whether labels are shown with their details instead of as titles. */
  readonly labelDetails: boolean
  readonly milestone: MilestoneRow | undefined
  readonly detailed_merge_status: string
  readonly blocking_discussions_resolved: boolean
  readonly approvals_before_merge: number | null
  /** The texts as HTML, if requested. */
  readonly html: { readonly title_html: string; readonly description_html: string } | undefined
}

/** A merge request with everything that a single answer shows. */
export interface MergeRequestSingleView extends MergeRequestView {
  readonly subscribed: boolean
  /** The newest version. Undefined until the first exists. */
  readonly diff: DiffVersionRow | undefined
  readonly first_deployed_to_production_at: string | null
  /** The pipeline of the head; null without one, undefined for readers who may not see pipelines. */
  readonly head_pipeline: PipelineView | null | undefined
  /** Whether the actor may merge into the target branch. */
  readonly can_merge: boolean
  /** This field and the next two are undefined unless requested. */
  readonly diverged_commits_count: number | undefined
  readonly rebase_in_progress: boolean | undefined
  readonly first_contribution: boolean | undefined
}

/** A reviewer. */
export interface ReviewerView {
  readonly user: UserBasicRow
  readonly state: string
  readonly created_at: string
}

/** A merge request as stored. `project_id` is the target project. */
export type MergeRequestRow = Selectable<MergeRequestsTable>

/** The limit and offset of a page. */
export type PageRange = Pick<Paging, 'limit' | 'offset'>
