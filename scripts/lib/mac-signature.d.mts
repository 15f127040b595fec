export function identityFor(env: Readonly<Record<string, string | undefined>>): string[]
