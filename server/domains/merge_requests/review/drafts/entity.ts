import { z } from 'zod'

import { entity, row } from '../../../../http/entity.ts'
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
  row<DraftRow>(),
  (draft: DraftRow) => {
    const position = draft.position as Position | null
    return {
      line_code: codeOf(position),
      position,
    }
  },
)
