import { choice, hash, int, text } from '../../../http/params.ts'

const shaText = () => text({ max: 64, notEmpty: true })

const path = () => text({ max: 4096 }).optional()

const end = () =>
  hash({
    line_code: text({ max: 255 }).optional(),
    type: choice('new', 'old').optional(),
    old_line: int({ min: 1 }).optional(),
    new_line: int({ min: 1 }).optional(),
  }).optional()

/** A place in a diff as callers give it (spec core 5.5). */
export const position = () =>
  hash({
    base_sha: shaText().describe('Commit that the diff begins at'),
    start_sha: shaText().describe('Commit that the branch was compared with'),
    head_sha: shaText().describe('Commit that the diff ends at'),
    position_type: choice('text', 'image'),
    new_path: path(),
    new_line: int({ min: 1 }).optional(),
    old_path: path(),
    old_line: int({ min: 1 }).optional(),
    line_range: hash({ start: end(), end: end() }).optional(),
    width: int({ min: 0 }).optional(),
    height: int({ min: 0 }).optional(),
    x: int({ min: 0 }).optional(),
    y: int({ min: 0 }).optional(),
  })

/** How a commit is named in paths. */
export const commitParam = text({ max: 1100 }).describe('Id of the commit, or the name of a branch or tag')
