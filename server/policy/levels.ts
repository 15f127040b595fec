/** Access levels, as integers on the wire (spec core 8.10). */
export const NO_ACCESS = 0
export const MINIMAL = 5
export const GUEST = 10
export const REPORTER = 20
export const DEVELOPER = 30
export const MAINTAINER = 40
export const OWNER = 50
/** Used only in lists of protections, never in a membership. */
export const ADMIN = 60

/** One of the levels above. */
export type Level = 0 | 5 | 10 | 20 | 30 | 40 | 50 | 60

/** The levels that a membership can have. */
export const MEMBER_LEVELS = [MINIMAL, GUEST, REPORTER, DEVELOPER, MAINTAINER, OWNER] as const

/** The visibility of a group or project for users who are not members. */
export type Visibility = 'private' | 'internal' | 'public'

/** The rank of a visibility, to check that it is not wider than the parent's. */
export const VISIBILITY_RANK: Readonly<Record<Visibility, number>> = { private: 0, internal: 10, public: 20 }
