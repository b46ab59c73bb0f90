"""Client of the payments gateway: signs requests, repeats them safely, pages, follows events, verifies webhooks."""

from . import models
from .client import Client, EventPage, EventType, Following, Options
from .errors import (
    ApiError,
    AuthenticationError,
    BusinessError,
    ConflictError,
    CursorExpiredError,
    ForbiddenError,
    GatewayError,
    IdempotencyKeyReusedError,
    InvalidRequestError,
    NoAnswerError,
    NotChargeCapableError,
    NotFoundError,
    OutcomeUnknownError,
    RateLimitedError,
    ServerError,
    StillProcessingError,
    WebhookError,
)
from .listing import Listing
from .signing import request_signature
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BusinessError",
    "Client",
    "ConflictError",
    "CursorExpiredError",
    "EventPage",
    "EventType",
    "Following",
    "ForbiddenError",
    "GatewayError",
    "IdempotencyKeyReusedError",
    "InvalidRequestError",
    "Listing",
    "NoAnswerError",
    "NotChargeCapableError",
    "NotFoundError",
    "OutcomeUnknownError",
    "Options",
    "RateLimitedError",
    "ServerError",
    "StillProcessingError",
    "WebhookError",
    "models",
    "request_signature",
    "verify_webhook",
]
