import { useApi } from '../api/useApi.ts'

/** Facts tell who is signed in when it is out of date; a page before sign-in asks again when somebody comes back to it. */
const FRESH_MS = 60_000

/** What the instance looks like: its name, pictures, bars and guidelines; also before anybody has signed in. */
export const useLook = () => useApi('GET /-/look', {}, { staleTime: FRESH_MS }).data
