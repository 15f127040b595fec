import type { Selectable } from 'kysely'

import type { BoardListsTable, BoardsTable } from '../../../db/schema.gen.ts'

/** A board as stored: how the issues of a project or group are grouped into lists. */
export type BoardRow = Selectable<BoardsTable>

/** A list of a board. It shows the issues with one label, one assignee or one milestone. */
export type ListRow = Selectable<BoardListsTable>
