export function components(): object
export function writeComponents(folder: string): void
export function writeUpdateLists(folder: string, date?: Date): void
export function writeChecksums(folder: string): void
export function notesOf(version: string, changes?: string): string
export function writeNotes(folder: string): void
