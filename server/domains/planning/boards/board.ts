import type { Selectable } from 'kysely'

import type { BoardListsTable, BoardsTable } from '../../../db/schema.gen.ts'

/** A board as stored: how the issues of a project or group are laid out. */
export type BoardRow = Selectable<BoardsTable>

/** A column of a board, for what has one label, one assignee or one milestone. */
export type ListRow = Selectable<BoardListsTable>
