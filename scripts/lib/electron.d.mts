/** The Electron program, or undefined if it is not installed. */
export function findElectron(): string | undefined
/** Whether this session can show a window. */
export function hasDisplay(): boolean
/** Flags that Chromium needs for this user. */
export function sandboxFlags(): string[]
