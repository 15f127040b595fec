/** Access levels, as integers on the wire (spec core 8.10). */
export const NO_ACCESS = 0
export const MINIMAL = 5
export const GUEST = 10
export const REPORTER = 20
export const DEVELOPER = 30
export const MAINTAINER = 40
export const OWNER = 50
/** Only in protection lists; never a membership. */
export const ADMIN = 60

/** One of the levels above. */
export type Level = 0 | 5 | 10 | 20 | 30 | 40 | 50 | 60

/** Levels a membership can have. */
export const MEMBER_LEVELS = [MINIMAL, GUEST, REPORTER, DEVELOPER, MAINTAINER, OWNER] as const

/** Who may see a group or project without being a member. */
export type Visibility = 'private' | 'internal' | 'public'

/** Order of openness, for "not wider than the parent". */
export const VISIBILITY_RANK: Readonly<Record<Visibility, number>> = { private: 0, internal: 10, public: 20 }
