import { z } from 'zod'

import { entity, row } from '../../../http/entity.ts'
import { LabelBasic } from '../labels/entity.ts'
import type { LabelRow } from '../labels/label.ts'
import { Milestone } from '../milestones/entity.ts'
import type { MilestoneRow } from '../milestones/store.ts'
import { namespaceUrl } from '../../namespaces/entity.ts'
import { ProjectSimple } from '../../projects/entity.ts'
import type { ProjectView } from '../../projects/index.ts'
import { UserBasic } from '../../users/entity.ts'
import type { UserBasicRow } from '../../users/index.ts'
import type { BoardRow, ListRow } from './store.ts'

/** A list with its label, assignee or milestone. Exactly one of the three is set. */
export interface ListView {
  readonly list: ListRow
  readonly label: LabelRow | undefined
  readonly assignee: UserBasicRow | undefined
  readonly milestone: MilestoneRow | undefined
}

function typeOf({ label_id, assignee_id }: ListRow): string {
  if (label_id !== null) return 'label'
  return assignee_id === null ? 'milestone' : 'assignee'
}

/** A list of a board (spec core 6.4). Issues have no weight, so a list limits only their number. */
export const BoardList = entity(
  'BoardList',
  {
    id: z.int(),
    label: LabelBasic.schema.optional(),
    assignee: UserBasic.schema.optional(),
    milestone: Milestone.schema.optional(),
    position: z.int(),
    list_type: z.string(),
    max_issue_count: z.int(),
    max_issue_weight: z.int(),
    limit_metric: z.string().nullable(),
  },
  ({ list, label, assignee, milestone }: ListView, at) => ({
    id: list.id,
    ...(label ? { label: LabelBasic.present(label, at) } : {}),
    ...(assignee ? { assignee: UserBasic.present(assignee, at) } : {}),
    ...(milestone ? { milestone: Milestone.present(milestone, at) } : {}),
    position: list.position,
    list_type: typeOf(list),
    max_issue_count: list.max_issue_count,
    max_issue_weight: 0,
    limit_metric: null,
  }),
)

/** The group that owns a board. */
export interface BoardGroup {
  readonly id: number
  readonly name: string
  readonly kind: 'group'
  readonly full_path: string
}

/** A board with its owner, its lists and its filters. */
export interface BoardView {
  readonly board: BoardRow
  readonly project: ProjectView | undefined
  readonly group: BoardGroup | undefined
  readonly milestone: MilestoneRow | undefined
  readonly assignee: UserBasicRow | undefined
  readonly labels: readonly LabelRow[]
  readonly lists: readonly ListView[]
}

const GroupShape = z.strictObject({ id: z.int(), web_url: z.string(), name: z.string() })

/** A board of a project or group (spec core 6.4). */
export const Board = entity(
  'Board',
  {
    id: z.int(),
    name: z.string(),
    hide_backlog_list: z.boolean(),
    hide_closed_list: z.boolean(),
    project: ProjectSimple.schema.nullable(),
    group: GroupShape.nullable(),
    milestone: Milestone.schema.nullable(),
    assignee: UserBasic.schema.nullable(),
    labels: z.array(LabelBasic.schema),
    weight: z.int().nullable(),
    lists: z.array(BoardList.schema),
  },
  row((view: BoardView) => view.board),
  ({ project, group, milestone, assignee, labels, lists }, at) => ({
    project: project ? ProjectSimple.present(project, at) : null,
    group: group ? { id: group.id, web_url: namespaceUrl(group, at), name: group.name } : null,
    milestone: milestone ? Milestone.present(milestone, at) : null,
    assignee: assignee ? UserBasic.present(assignee, at) : null,
    labels: labels.map((label) => LabelBasic.present(label, at)),
    lists: lists.map((list) => BoardList.present(list, at)),
  }),
)
