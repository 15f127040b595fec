export function components(): object
export function writeComponents(folder: string): void
export function writeUpdateLists(folder: string, date?: Date): void
export function writeChecksums(folder: string): void
