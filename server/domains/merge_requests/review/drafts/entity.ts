import { z } from 'zod'

import { entity } from '../../../../http/entity.ts'
import { lineCode, type Position } from '../../../discussions/index.ts'
import { PositionShape } from '../../../discussions/notes/entity.ts'
import type { DraftRow } from './store.ts'

function codeOf(position: Position | null): string | null {
  if (position?.position_type !== 'text') return null
  return lineCode(position.new_path, position.old_line ?? 0, position.new_line ?? 0)
}

/** A draft note (spec core 5.5). */
export const DraftNote = entity(
  'DraftNote',
  {
    id: z.int(),
    author_id: z.int(),
    merge_request_id: z.int(),
    resolve_discussion: z.boolean(),
    discussion_id: z.string().nullable(),
    note: z.string(),
    commit_id: z.string().nullable(),
    line_code: z.string().nullable(),
    position: PositionShape.nullable(),
  },
  (draft: DraftRow) => {
    const position = draft.position === null ? null : (JSON.parse(draft.position) as Position)
    return {
      id: draft.id,
      author_id: draft.author_id,
      merge_request_id: draft.merge_request_id,
      resolve_discussion: draft.resolve_discussion,
      discussion_id: draft.discussion_id,
      note: draft.note,
      commit_id: draft.commit_id,
      line_code: codeOf(position),
      position,
    }
  },
)
