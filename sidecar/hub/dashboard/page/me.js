/* Name and role of the token; decides which buttons are shown. */
import { request } from './api.js';
/** @import { Approval, Me } from '../page-types.ts' */

const ranks = { worker: 0, viewer: 1, submitter: 2, admin: 3 };
/** @type {Me} */
let me = { name: '', role: 'viewer' };

/** Reads the name and the role of the token. Throws ApiError. */
export async function readMe() {
  me = await request('api/me');
}

/** Returns whether the token's role includes another. @param {Me['role']} role */
export const hasRole = (role) => ranks[me.role] >= ranks[role];

/** Returns the token's role. Parts of the page are redrawn when the role changes. */
export const currentRole = () => me.role;

/**
 * Returns whether this token may answer: a submitter may answer requests of its own tasks, except commands.
 * @param {Approval} approval @param {string} submittedBy
 */
export const mayAnswer = ({ kind }, submittedBy) =>
  hasRole('admin') || (hasRole('submitter') && kind !== 'command' && submittedBy === me.name);
