import { useApi } from '../../api/useApi.ts'

/** Live events invalidate it for signed-in users. Pages before sign-in reload it when the window gets the focus. */
const FRESH_MS = 60_000

/** The appearance of the instance: its name, images, bars and guidelines; also available before sign-in. */
export const useLook = () => useApi('GET /-/look', {}, { staleTime: FRESH_MS }).data
