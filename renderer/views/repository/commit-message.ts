/** A commit message without its first line. */
export const bodyOf = (message: string): string => message.slice(message.split('\n')[0]?.length ?? 0).trim()
